import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { CertificateOf, CredentialRequest } from '../../../lib/http/presented-credential.js';
import {
  certificateThumbprint,
  connectionCertificate,
  judgeCertificate,
} from '../../../lib/tokens/mtls/certificate.js';

const DER = Buffer.from('a certificate');
const THUMBPRINT = createHash('sha256').update(DER).digest('base64url');

/** A request over TLS, whose client presented a certificate or none. */
const over = (certificate: { readonly raw: Buffer } | undefined): CredentialRequest => ({
  socket: { getPeerX509Certificate: () => certificate } as NonNullable<CredentialRequest['socket']>,
});

const finding = (found: unknown) => (() => found) as CertificateOf;

describe('the certificate of the connection', () => {
  it.each<[string, CredentialRequest, Buffer | undefined]>([
    ['a certificate', over({ raw: DER }), DER],
    ['no certificate', over(undefined), undefined],
    ['no TLS', { socket: {} }, undefined],
    ['no socket', {}, undefined],
  ])('%s', (_name, request, expected) => {
    expect(connectionCertificate(request)).toBe(expected);
  });

  it('is the default', () => {
    expect(certificateThumbprint(over({ raw: DER }))).toBe(THUMBPRINT);
    expect(certificateThumbprint(over(undefined))).toBeUndefined();
    expect(certificateThumbprint({})).toBeUndefined();
  });
});

describe('certificateOf', () => {
  it('gets the request', () => {
    const request = {};
    const given: unknown[] = [];
    certificateThumbprint(request, (req) => {
      given.push(req);
      return undefined;
    });
    expect(given).toEqual([request]);
    expect(given[0]).toBe(request);
  });

  it.each<[string, unknown, string | undefined]>([
    ['bytes', DER, THUMBPRINT],
    ['bytes in another array', new Uint8Array(DER), THUMBPRINT],
    ['undefined', undefined, undefined],
    ['null', null, undefined],
    ['no bytes', Buffer.of(), 'unreadable'],
    ['a string', 'a certificate', 'unreadable'],
    ['a list', [...DER], 'unreadable'],
    ['a promise that rejects', Promise.reject(new Error('late')), 'unreadable'],
  ])('that returns %s', (_name, found, expected) => {
    expect(certificateThumbprint({}, finding(found))).toBe(expected);
  });

  it('that throws', () => {
    const failing = () => {
      throw new Error('no such field');
    };
    expect(certificateThumbprint(over({ raw: DER }), failing)).toBe('unreadable');
  });
});

describe('the comparison with the token', () => {
  it.each<[string, string, CertificateOf | undefined]>([
    ['proven', THUMBPRINT, undefined],
    ['proven', THUMBPRINT, finding(DER)],
    ['other', THUMBPRINT, finding(Buffer.from('another'))],
    ['other', `${THUMBPRINT}=`, finding(DER)],
    ['absent', THUMBPRINT, finding(undefined)],
    ['unreadable', THUMBPRINT, finding('text')],
    // A token could name anything.
    ['unreadable', 'unreadable', finding('text')],
  ])('%s: a token of %s', (expected, thumbprint, certificateOf) => {
    expect(judgeCertificate(over({ raw: DER }), thumbprint, certificateOf)).toBe(expected);
  });
});
