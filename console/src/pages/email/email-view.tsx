/**
 * The open tab of an email, and the look of its preview. On its page this is part of the address; beside the
 * list it lasts while the list does.
 */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { type EmailPageSearch, validateEmailPageSearch } from './search.ts'

/** `undefined` removes a part. */
type Change = { [Name in keyof EmailPageSearch]: EmailPageSearch[Name] | undefined }

interface EmailViewState {
  shown: EmailPageSearch
  show: (change: Change) => void
}

const Shown = createContext<EmailViewState | null>(null)

export function useEmailView(): EmailViewState {
  return useContext(Shown)!
}

export function EmailViewInAddress({ children }: { children: ReactNode }) {
  const shown = useSearch({ from: '/signed-in/c/$company/emails/$id' })
  const navigate = useNavigate()
  const show = (change: Change) =>
    void navigate({
      from: '/c/$company/emails/$id',
      to: '.',
      search: (before) => validateEmailPageSearch({ ...before, ...change }),
      replace: true,
      resetScroll: false,
    })
  return <Shown value={{ shown, show }}>{children}</Shown>
}

/** `id`: the email. The tab stays when another one is shown, and its recipient does not. */
export function EmailViewBesideList({ id, children }: { id: string; children: ReactNode }) {
  const [{ of, parts }, setParts] = useState<{ of: string; parts: EmailPageSearch }>({ of: id, parts: {} })
  const { copy: _, ...lasting } = parts
  const shown = of === id ? parts : lasting
  const show = (change: Change) =>
    setParts({ of: id, parts: validateEmailPageSearch({ ...shown, ...change }) })
  return <Shown value={{ shown, show }}>{children}</Shown>
}
