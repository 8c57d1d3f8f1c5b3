/**
 * What browsers may do with the console: nothing of it comes from elsewhere, goes elsewhere, or is shown within another
 * page.
 */

/** Of every answer (Fetch 3.7). */
const APART = {
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** What the page never asks for. */
const UNUSED = [
  'accelerometer',
  'camera',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
]

/** Of what is no page: should a browser be led to take it for one, it could do nothing. */
export const DATA_HEADERS = {
  ...APART,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const

/**
 * Of a script, which may be that of a worker: it goes by the policy that comes with it, and not by that of its page
 * (CSP 3, 7.8). It may bring in more of its own kind, and ask nobody for anything.
 */
export const SCRIPT_HEADERS = {
  ...APART,
  'content-security-policy': "default-src 'none'; script-src 'self'; frame-ancestors 'none'",
} as const

/** Of a page. `style`: a source of CSP 3 for the styles it makes; without `script` it has none. */
export function pageHeaders(style: string, { script }: { script: boolean }): Record<string, string> {
  const own = [
    "script-src 'self'",
    // Pictures in mail are shown as data: and blob:, and mail itself in frames of these.
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self' blob:",
  ]
  const policy = [
    "default-src 'none'",
    `style-src ${script ? "'self' " : ''}${style}`,
    ...(script ? own : []),
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ]
  return {
    ...APART,
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': UNUSED.map((feature) => `${feature}=()`).join(', '),
  }
}
