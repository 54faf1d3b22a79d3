/**
 * Creates self-signed certificates for tests. Node has no function for this, so the certificate is encoded here byte by
 * byte, in DER (RFC 5280 §4.1).
 */
import { generateKeyPairSync, sign } from 'node:crypto';

/** A private key and its certificate, both in PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

const SEQUENCE = 0x30;
const ECDSA_WITH_SHA256 = element(SEQUENCE, Buffer.from('06082a8648ce3d040302', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');

/**
 * Creates a P-256 key pair and its certificate, which is valid from 2020 to 2049.
 *
 * @param subject - The common name. For the certificate of a server, pass its host name.
 */
export function selfSigned(subject: string): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const commonName = element(SEQUENCE, COMMON_NAME, element(0x0c, Buffer.from(subject)));
  const name = element(SEQUENCE, element(0x31, commonName));
  const validity = element(SEQUENCE, ...['200101000000Z', '491231235959Z'].map((at) => element(0x17, Buffer.from(at))));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const serial = element(0x02, Buffer.from([1]));
  const certified = element(SEQUENCE, serial, ECDSA_WITH_SHA256, name, validity, name, spki);
  const signature = element(0x03, Buffer.from([0]), sign('sha256', certified, privateKey));
  const der = element(SEQUENCE, certified, ECDSA_WITH_SHA256, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...encodedLength(content.length)]), content]);
}

/** Encodes a length below 65,536 in as few bytes as possible, as DER requires (X.690 section 10.1). */
function encodedLength(length: number): readonly number[] {
  if (length < 128) return [length];
  return length < 256 ? [0x81, length] : [0x82, Math.floor(length / 256), length % 256];
}
