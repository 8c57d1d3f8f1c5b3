/** The findings (delivery/judge/finding.ts) about a path itself, which close it. */
export const HINDRANCES = ['credentials', 'path', 'sender', 'source', 'busy', 'unreachable'] as const

export type Hindrance = (typeof HINDRANCES)[number]
