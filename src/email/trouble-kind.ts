/** The findings (delivery/judge/finding.ts) about a path itself, which close it. */
export const TROUBLE_KINDS = ['credentials', 'path', 'sender', 'source', 'busy', 'unreachable'] as const

export type TroubleKind = (typeof TROUBLE_KINDS)[number]
