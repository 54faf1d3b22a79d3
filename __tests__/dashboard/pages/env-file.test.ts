import { describe, expect, it } from '@jest/globals';
import { createEnvFile } from '../../../lib/dashboard/pages/env-file.js';

const fileOf = (product: string, name: string | null, kind: 'secret' | 'public' | 'access' = 'secret', id = 'key_1') =>
  createEnvFile(product, { kind, id, name }, 'sk_live_x');

const textOf = ({ href }: { readonly href: string }) => decodeURIComponent(href.slice(href.indexOf(',') + 1));

describe('the variables', () => {
  it.each([
    ['Acme Pay', 'ACME_PAY'],
    ['keyward', 'KEYWARD'],
    ['Caf\u00e9 & Co.', 'CAFE_CO'],
    ['3D Shop', '_3D_SHOP'],
    ['\u9375', 'KEYWARD'],
    ['$(id)\nX=1', 'ID_X_1'],
  ])('of %j begin with %s', (product, prefix) => {
    expect(textOf(fileOf(product, 'Till'))).toBe(`${prefix}_KEY=sk_live_x\n`);
    expect(fileOf(product, 'Till').variables).toEqual([`${prefix}_KEY`]);
  });

  it('of an access key are the client ID and the client secret', () => {
    const file = fileOf('Acme Pay', null, 'access', 'ack_1');
    expect(textOf(file)).toBe('ACME_PAY_CLIENT_ID=ack_1\nACME_PAY_CLIENT_SECRET=sk_live_x\n');
    expect(file.variables).toEqual(['ACME_PAY_CLIENT_ID', 'ACME_PAY_CLIENT_SECRET']);
  });
});

describe('the name of the file', () => {
  it.each([
    ['Order service', 'order-service.env'],
    ['Caf\u00e9', 'cafe.env'],
    [null, 'key_1.env'],
    ['\u9375', 'key_1.env'],
    ['...', 'key_1.env'],
    ['../../etc/passwd', 'etc-passwd.env'],
    ['C:\\run.exe', 'c-run-exe.env'],
    ['"><script>', 'script.env'],
    ['a\u202Egpj.exe', 'a-gpj-exe.env'],
    ['a\r\nb\0c', 'a-b-c.env'],
    ['CON', 'key-con.env'],
    ['lpt1', 'key-lpt1.env'],
    ['COM7', 'key-com7.env'],
    ['Icon', 'icon.env'],
    ['Connect', 'connect.env'],
    ['comx', 'comx.env'],
    ['\u212A', 'k.env'],
    [`${'x'.repeat(59)} y`, `${'x'.repeat(59)}.env`],
    ['x'.repeat(100), `${'x'.repeat(60)}.env`],
  ])('of a key called %j is %s', (name, expected) => {
    expect(fileOf('Acme Pay', name).name).toBe(expected);
  });

  it('is safe for an imported ID too', () => {
    expect(fileOf('Acme Pay', null, 'secret', '../a b').name).toBe('a_b.env');
    expect(fileOf('Acme Pay', null, 'secret', '\u9375').name).toBe('key.env');
  });
});
