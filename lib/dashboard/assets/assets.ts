/**
 * The stylesheet, the script and the icon that pages load. Their names contain a digest of the content, so browsers can
 * cache them forever.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MENU_SCRIPT_TEXT } from './close-menus-script.js';
import { MEDIA_STYLE_TEXT } from './media-style.js';
import { SCRIPT_TEXT } from './script.js';
import { SECRET_SCRIPT_TEXT } from './secret-in-search-script.js';
import { SECTION_STYLE_TEXT } from './section-style.js';
import { STYLE_TEXT } from './style.js';

export interface Asset {
  /** Relative to the mount path. */
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

const ICON_TEXT =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#5b5bd6" d="M10 1a5 5 0 0 0-4.7 6.7L1 12v3h3v-2h2v-2h2l.8-.8A5 5 0 1 0 10 1zm1 5.5A1.5 1.5 0 1 1 11 3.500a1.500 1.500 0 0 1 0 3z"/></svg>';

/**
 * Matches a single-quoted string, which must stay as it is; an operator, comma, semicolon or brace with the spaces around
 * it; or `if` or `for` with the space after it.
 */
const SCRIPT_SPACES = /('[^']*')| ?(=>|[=!]==|=|&&|\|\||\?\?|[{},;]) ?|\b(if|for) (?=\()/g;

export const STYLE = createAsset(
  'style',
  'css',
  'text/css; charset=utf-8',
  compactStyle(STYLE_TEXT + SECTION_STYLE_TEXT + MEDIA_STYLE_TEXT),
);
export const SCRIPT = createAsset(
  'script',
  'js',
  'text/javascript; charset=utf-8',
  compactScript(SCRIPT_TEXT + MENU_SCRIPT_TEXT + SECRET_SCRIPT_TEXT),
);
export const ICON = createAsset('icon', 'svg', 'image/svg+xml', ICON_TEXT);

/** The assets that `createDashboard` serves. */
export const ASSETS: readonly Asset[] = Object.freeze([STYLE, SCRIPT, ICON]);

/** Serves an asset to everyone. Visitors who are not signed in may load it too, because it contains no data. */
export function serveAsset({ type, text }: Asset) {
  const length = Buffer.byteLength(text);
  return function sendAsset(_req: IncomingMessage, res: ServerResponse): void {
    res.writeHead(200, {
      'Content-Type': type,
      'Content-Length': length,
      'Cache-Control': 'public, max-age=31536000, immutable',
    });
    res.end(text);
  };
}

/** Removes indentation, unnecessary line breaks, and lines that contain only a comment, so that the file is small. */
function compact(text: string): string {
  return text
    .replace(/^\s*\/(?:\/.*|\*.*\*\/)$/gm, '')
    .replace(/^\s+/gm, '')
    .replaceAll('\n}', '}')
    .replaceAll(/([{;])\n/g, '$1');
}

/** Does what `compact` does, and removes spaces around operators and after keywords, except in strings. */
function compactScript(text: string): string {
  return compact(text).replaceAll(SCRIPT_SPACES, (_found, string, operator, keyword) => string ?? operator ?? keyword);
}

function compactStyle(text: string): string {
  return compact(text)
    .replaceAll(/ ?([{};>]) ?/g, '$1')
    .replaceAll(/([:,]) /g, '$1')
    .replaceAll(/([},])\n/g, '$1')
    .replaceAll(';}', '}');
}

function createAsset(name: string, extension: string, type: string, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return Object.freeze({ path: `/assets/${name}-${hash}.${extension}`, type, text });
}
