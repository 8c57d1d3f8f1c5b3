/** The state of an email's page, which is part of its address. */
import { useNavigate, useSearch } from '@tanstack/react-router'

export const TABS = ['html', 'text', 'headers', 'source', 'attachments', 'checks'] as const
export type Tab = (typeof TABS)[number]
export const WIDTHS = ['desktop', 'phone'] as const
export const SHADES = ['light', 'dark', 'inverted'] as const

export interface EmailPageSearch {
  tab?: Tab
  width?: (typeof WIDTHS)[number]
  shade?: (typeof SHADES)[number]
  /** The position of the recipient whose copy is shown. */
  copy?: number
  /** The position of the first recipient on the list. */
  from?: number
}

export function validateEmailPageSearch(search: Record<string, unknown>): EmailPageSearch {
  const shown: EmailPageSearch = {}
  const { tab, width, shade, copy, from } = search
  if (isOne(TABS, tab)) shown.tab = tab
  if (isOne(WIDTHS, width) && width !== 'desktop') shown.width = width
  if (isOne(SHADES, shade) && shade !== 'light') shown.shade = shade
  if (isPosition(copy)) shown.copy = copy
  if (isPosition(from) && from > 0) shown.from = from
  return shown
}

function isOne<const Values extends readonly string[]>(
  values: Values,
  value: unknown,
): value is Values[number] {
  return values.includes(value as string)
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
