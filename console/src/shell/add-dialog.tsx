import { Button } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { DialogProps } from '../parts/form-dialog.tsx'
import { ALL, useCompany, useMayManage } from './company.ts'

interface AddDialog {
  /** Opens the dialog. `default` on a page without content, where another button matters more. */
  button: (variant?: 'filled' | 'default') => ReactNode
  dialog: DialogProps
}

/**
 * The dialog with which a page adds something to a company. The page's URL says whether it is open. `null`: the person
 * may add nothing here.
 */
export function useAddDialog(label: string): AddDialog | null {
  const company = useCompany()
  const { add } = useSearch({ strict: false })
  const navigate = useNavigate()
  const mayAdd = useMayManage() && company !== ALL
  if (!mayAdd) return null
  const open = (opened: boolean) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, add: opened || undefined }),
      replace: true,
    })
  return {
    button: (variant = 'filled') => (
      <Button variant={variant} leftSection={<Plus size={16} aria-hidden />} onClick={() => open(true)}>
        {label}
      </Button>
    ),
    dialog: { company, opened: add === true, close: () => open(false) },
  }
}
