/** The state of an email's page, which is part of its address. */
import { oneOf } from '../../api/search.ts'

export const TABS = ['html', 'text', 'headers', 'source', 'attachments', 'checks'] as const
export type Tab = (typeof TABS)[number]

export interface EmailPageSearch {
  tab?: Tab
  width?: 'desktop' | 'phone'
  shade?: 'light' | 'dark' | 'inverted'
  /** The position of the recipient whose copy is shown. */
  copy?: number
}

export function validateEmailPageSearch(search: Record<string, unknown>): EmailPageSearch {
  const shown = {
    tab: oneOf(search, 'tab', TABS),
    width: oneOf(search, 'width', ['phone']),
    shade: oneOf(search, 'shade', ['dark', 'inverted']),
    copy: isPosition(search.copy) ? search.copy : undefined,
  }
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined))
}

function isPosition(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 1_000_000
}
