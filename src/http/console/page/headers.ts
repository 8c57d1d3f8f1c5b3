/**
 * The browser's restrictions for the console: it loads nothing from elsewhere, sends nothing elsewhere, and is not
 * shown within another page.
 */

/** Header fields of every answer (Fetch 3.7). */
const APART = {
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Features that the page never uses. */
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

/**
 * For answers that are not pages. If a browser is tricked into showing such an answer as a page, the answer can load
 * and run nothing.
 */
export const DATA_HEADERS = {
  ...APART,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const

/**
 * For a script, which may run as a worker: a worker obeys the policy of its own response, not that of its page (CSP 3,
 * 7.8). The worker may load more scripts of its origin, and may connect to nothing.
 */
export const SCRIPT_HEADERS = {
  ...APART,
  'content-security-policy': "default-src 'none'; script-src 'self'; frame-ancestors 'none'",
} as const

/** For a page. `style`: the CSP 3 source of the page's inline styles. Without `script`, the page runs no scripts. */
export function pageHeaders(style: string, { script }: { script: boolean }): Record<string, string> {
  const own = [
    "script-src 'self'",
    // Pictures in mail have data: or blob: URLs, and a frame that shows mail may have a blob: URL.
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
