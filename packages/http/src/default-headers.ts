/**
 * The headers of every response of an API, errors included: caches do not keep it, and browsers do not guess its type.
 * An operation whose response may be kept replaces Cache-Control.
 */
export const defaultHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const
