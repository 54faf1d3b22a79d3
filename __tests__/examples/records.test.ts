import { describe, expect, it, jest } from '@jest/globals';
import { createTestKit } from 'keyward/testing';
import request from 'supertest';
import { createApp, createRecords } from '../../examples/payments-service/src/app.js';

const NUMBER = '4242424242424242';
const card = { type: 'card', number: NUMBER, expiry_month: 12, expiry_year: 2030 };
const order = { source: card, amount: 1_000, currency: 'GBP', reference: 'order-1' };

const kit = createTestKit();
const records = createRecords();
const app = createApp({ tokens: kit.tokens, secretKeys: kit.keys('secret'), publicKeys: kit.keys('public') }, records);
const secret = kit.secretKey();
const post = (path: string, body?: object | string, credential = secret) =>
  request(app).post(path).set('Authorization', `Bearer ${credential}`).type('json').send(body);
const get = (path: string, credential = secret) => request(app).get(path).set('Authorization', `Bearer ${credential}`);

describe('payments', () => {
  it('are created and found again, with only the expiry of the card', async () => {
    const made = await post('/payments', { ...order, unknown: 1 });
    expect(made.headers.location).toBe(`/payments/${made.body.id}`);
    expect((await get(`/payments/${made.body.id}`)).body).toEqual({
      ...{ id: made.body.id, account: 'acc_test', amount: 1_000, refunded_amount: 0 },
      ...{ currency: 'GBP', reference: 'order-1', source: { type: 'card', expiry_month: 12, expiry_year: 2030 } },
    });
  });

  it.each([
    ['no source', { source: undefined }],
    ['a source that is a text', { source: NUMBER }],
    ['a source that is a list', { source: [card] }],
    ['a source of another type', { source: { ...card, type: 'cash' } }],
    ['a card number that is a number', { source: { ...card, number: Number(NUMBER) } }],
    ['a card number with a space', { source: { ...card, number: `4242 ${NUMBER}` } }],
    ['a card number of 11 digits', { source: { ...card, number: '42424242424' } }],
    ['month 0', { source: { ...card, expiry_month: 0 } }],
    ['month 13', { source: { ...card, expiry_month: 13 } }],
    ['a month that is a text', { source: { ...card, expiry_month: '12' } }],
    ['a year of two digits', { source: { ...card, expiry_year: 30 } }],
    ['a card token that nobody issued', { source: { type: 'token', token: 'tok_1' } }],
    ['no amount', { amount: undefined }],
    ['amount 0', { amount: 0 }],
    ['an amount below 0', { amount: -1 }],
    ['an amount with a fraction', { amount: 10.5 }],
    ['an amount that is a text', { amount: '1000' }],
    ['an amount beyond all reason', { amount: 1e12 }],
    ['no currency', { currency: undefined }],
    ['a currency in small letters', { currency: 'gbp' }],
    ['no reference', { reference: undefined }],
    ['a reference of 81 characters', { reference: 'x'.repeat(81) }],
    ['a reference with a line break', { reference: 'a\nb' }],
    ['an empty processing channel', { processing_channel_id: '' }],
    ['a processing channel with a space', { processing_channel_id: 'pc 1' }],
  ])('are refused with %s: 422, without card data in the response', async (_what, change) => {
    const { status, body, text } = await post('/payments', { ...order, ...change });
    expect([status, body.error]).toEqual([422, 'invalid_body']);
    expect(text).not.toMatch(/4242/);
  });

  it.each([[[order]], ['"text"'], [`{"source":{"number":"${NUMBER}"`]])(
    'are refused with the body %j',
    async (body) => {
      const response = await post('/payments', body);
      expect([400, 422]).toContain(response.status);
      expect(response.body).toEqual({ error: expect.any(String), error_description: expect.any(String) });
      expect(response.text).not.toMatch(/4242/);
    },
  );

  it('name a processing channel, none, or null', async () => {
    const paid = async (processing_channel_id: unknown) => {
      const { status, body } = await post('/payments', { ...order, processing_channel_id });
      return [status, body.processing_channel_id];
    };
    expect(await paid('pc_shop-1')).toEqual([201, 'pc_shop-1']);
    expect(await paid(null)).toEqual([201, undefined]);
  });

  it('are refused with another content type', async () => {
    const sent = request(app).post('/payments').set('Authorization', `Bearer ${secret}`);
    expect((await sent.type('form').send({ amount: 1 })).status).toBe(422);
  });

  it('are refused in a body that is too large', async () => {
    const { status, body } = await post('/payments', { ...order, padding: 'x'.repeat(20_000) });
    expect([status, body.error]).toEqual([413, 'payload_too_large']);
  });

  it('of another account are not found, like unknown ones', async () => {
    const { id } = (await post('/payments', order)).body;
    const other = kit.secretKey({ account: 'acc_other' });
    const [absent, foreign, refund] = [
      await get('/payments/pay_1'),
      await get(`/payments/${id}`, other),
      await post(`/payments/${id}/refunds`, {}, other),
    ];
    expect(absent.body).toEqual({ error: 'not_found', error_description: 'There is no such payment' });
    for (const { status, body } of [absent, foreign, refund]) expect([status, body]).toEqual([404, absent.body]);
  });
});

describe('refunds', () => {
  it('refund a part, then the rest, then nothing more', async () => {
    const { id } = (await post('/payments', order)).body;
    const refund = (body?: object) => post(`/payments/${id}/refunds`, body);
    expect((await refund({ amount: 400 })).body).toMatchObject({ payment_id: id, amount: 400, currency: 'GBP' });
    expect((await refund({ amount: 601 })).body.error).toBe('refund_exceeds_payment');
    expect((await refund()).body.amount).toBe(600);
    expect((await refund()).status).toBe(422);
    expect((await get(`/payments/${id}`)).body.refunded_amount).toBe(1_000);
  });

  it.each([[0], [-1], [1.5], ['1']])('are refused with amount %j', async (amount) => {
    const { id } = (await post('/payments', order)).body;
    expect((await post(`/payments/${id}/refunds`, { amount })).status).toBe(422);
  });
});

describe('card tokens', () => {
  const publicKey = kit.publicKey({ apis: ['tokens'] });

  it('pay once, for the account that they were issued to', async () => {
    const issued = await post('/tokens', card, publicKey);
    expect(issued.body).toEqual({ type: 'card', expiry_month: 12, expiry_year: 2030, token: expect.any(String) });
    const paid = { ...order, source: { type: 'token', token: issued.body.token } };
    expect((await post('/payments', paid, kit.secretKey({ account: 'acc_other' }))).status).toBe(422);
    expect((await post('/payments', paid)).status).toBe(201);
    expect((await post('/payments', paid)).status).toBe(422);
  });

  it('are refused for an invalid card, without its data in the response', async () => {
    const { status, text } = await post('/tokens', { ...card, number: `${NUMBER}x` }, publicKey);
    expect(status).toBe(422);
    expect(text).not.toMatch(/4242/);
  });
});

describe('disputes', () => {
  const holder = { account: 'acc_test', channels: 'all' } as const;
  const open = () =>
    records.disputes.open(
      records.payments.create(holder, { ...order, source: { type: 'card', expiry_month: 1, expiry_year: 2030 } }),
    );

  it('are accepted once', async () => {
    const { id } = open();
    expect((await post(`/disputes/${id}/accept`)).body.status).toBe('accepted');
    expect((await get(`/disputes/${id}`)).body.status).toBe('accepted');
    expect((await post(`/disputes/${id}/accept`)).status).toBe(409);
  });

  it('of another account are not found', async () => {
    const { id } = open();
    const other = kit.secretKey({ account: 'acc_other' });
    expect((await get('/disputes', other)).body).toEqual({ data: [] });
    expect((await get(`/disputes/${id}`, other)).status).toBe(404);
    expect((await post(`/disputes/${id}/accept`, undefined, other)).status).toBe(404);
  });
});

describe('reports', () => {
  it('sum up the payments of the account by currency', async () => {
    const account = 'acc_reported';
    const key = kit.secretKey({ account });
    const first = await post('/payments', order, key);
    await post('/payments', { ...order, amount: 250 }, key);
    await post('/payments', { ...order, currency: 'EUR' }, key);
    await post(`/payments/${first.body.id}/refunds`, { amount: 100 }, key);
    expect((await get('/reports', await kit.accessToken({ account, scopes: ['reports'] }))).body.data).toEqual([
      { currency: 'GBP', payments: 2, amount: 1_250, refunded_amount: 100 },
      { currency: 'EUR', payments: 1, amount: 1_000, refunded_amount: 0 },
    ]);
  });
});

describe('errors', () => {
  it('an unknown path is 404, as JSON', async () => {
    const { status, body } = await request(app).get('/nowhere');
    expect([status, body]).toEqual([404, { error: 'not_found', error_description: 'There is no such resource' }]);
  });

  it('a path that cannot be decoded is 400, as JSON', async () => {
    expect((await get('/payments/%zz')).body.error).toBe('bad_request');
  });

  it('a handler that fails is 500 without its message, and is logged', async () => {
    const log = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const failure = new Error(`the repository refused ${NUMBER}`);
    jest.spyOn(records.payments, 'get').mockImplementationOnce(() => {
      throw failure;
    });
    const { status, body } = await get('/payments/pay_1');
    expect([status, body]).toEqual([
      500,
      { error: 'internal_server_error', error_description: 'Internal Server Error' },
    ]);
    expect(log).toHaveBeenCalledWith('GET /payments/pay_1 failed:', failure);
    log.mockRestore();
  });
});
