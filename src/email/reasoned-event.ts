/** Events that say why mail was refused or is late: see `category` and `permanent` of their detail. */
export const REASONED_TYPES = ['bounced', 'failed', 'delivery_delayed'] as const
