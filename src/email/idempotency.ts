/** Ms for which an idempotency key stands for the email it was sent with. */
export const KEY_REMEMBERED_MS = 24 * 60 * 60 * 1_000
