/** The options that `createDashboard` and `createSignIn` share: how their pages look. */
import { type Option, type OptionTable, optional } from '../options/option-table.js';

/** How the pages of a site look. */
export interface AppearanceOptions {
  /**
   * A path of your site to a stylesheet. Pages load it after the Dashboard's stylesheet, so it can override the custom
   * properties.
   */
  readonly stylesheet?: string | undefined;
  /**
   * The name of your product, at most 40 characters. Pages show it in their header and title. Default: `'keyward'`.
   */
  readonly productName?: string | undefined;
}

/** Matches a path on this origin. Browsers resolve `//host` and `/\host` to another site, so both are refused. */
export const OWN_PATH = /^\/(?![/\\])[^\s\\]*$/;

export const ownPath: Option<string> = (options, name) => {
  const path = options.text(name);
  if (OWN_PATH.test(path)) return path;
  throw options.wrongText(name, 'a path that starts with a single / and has no spaces or backslashes');
};

const MAX_PRODUCT_NAME = 40;

const productName: Option<string> = (options, name) => {
  if (!options.has(name)) return 'keyward';
  const text = options.text(name);
  if (text.trim() !== '' && text.length <= MAX_PRODUCT_NAME) return text;
  throw options.wrongText(name, `a name of 1 to ${MAX_PRODUCT_NAME} characters`);
};

export const APPEARANCE_OPTIONS = {
  stylesheet: optional(ownPath),
  productName,
} satisfies OptionTable<AppearanceOptions>;
