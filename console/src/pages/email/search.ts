/** The state of an email's page, which is part of its address. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { oneOf } from '../../api/search.ts'

export const TABS = ['html', 'text', 'headers', 'source', 'attachments', 'checks'] as const
export type Tab = (typeof TABS)[number]

interface EmailPageSearch {
  tab?: Tab
  width?: 'desktop' | 'phone'
  shade?: 'light' | 'dark' | 'inverted'
  /** The position of the recipient whose copy is shown. */
  copy?: number
  /** The position of the first recipient on the list. */
  from?: number
}

export function validateEmailPageSearch(search: Record<string, unknown>): EmailPageSearch {
  const shown = {
    tab: oneOf(search, 'tab', TABS),
    width: oneOf(search, 'width', ['phone']),
    shade: oneOf(search, 'shade', ['dark', 'inverted']),
    copy: isPosition(search.copy) ? search.copy : undefined,
    from: isPosition(search.from) && search.from > 0 ? search.from : undefined,
  }
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined))
}

function isPosition(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 1_000_000
}

export function useEmailPageSearch(): EmailPageSearch {
  return useSearch({ from: '/signed-in/c/$company/emails/$id' })
}

/** Changes a part of the state; `undefined` removes it from the address. */
export function useShow(): (
  change: { [Name in keyof EmailPageSearch]: EmailPageSearch[Name] | undefined },
) => void {
  const navigate = useNavigate()
  return (change) =>
    void navigate({
      from: '/c/$company/emails/$id',
      to: '.',
      search: (before) => validateEmailPageSearch({ ...before, ...change }),
      replace: true,
      resetScroll: false,
    })
}
