/** Actions on the chosen entries of the suppression list. */
import { Button } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import {
  listsChanged,
  matchingSuppressions,
  removeSuppressions,
  type SuppressionItem,
  type SuppressionType,
} from '../../api/suppressions.ts'
import { BatchDialog } from '../../parts/batch-dialog.tsx'
import { ChoiceBar } from '../../parts/choice-bar.tsx'
import type { Chosen } from '../../parts/chosen.ts'
import { notify } from '../../parts/notify.ts'

interface SuppressionChoiceBarProps {
  company: string
  filter: { term: string | undefined; type: SuppressionType | undefined }
  entries: readonly SuppressionItem[]
  /** There are further pages. */
  hasMore: boolean
  chosen: Chosen
}

export function SuppressionChoiceBar({
  company,
  filter,
  entries,
  hasMore,
  chosen,
}: SuppressionChoiceBarProps) {
  const [asked, setAsked] = useState(false)
  const [looking, setLooking] = useState<number | null>(null)
  /** Chosen entries of other pages. */
  const others = useRef(new Map<string, SuppressionItem>())
  const ids = [...chosen.ids]
  const counted = `${ids.length.toLocaleString()} ${ids.length === 1 ? 'entry' : 'entries'}`
  const chooseAll = async () => {
    setLooking(0)
    try {
      const all = await matchingSuppressions(company, filter, setLooking)
      others.current = new Map(all.map((entry) => [entry.id, entry]))
      chosen.set(others.current.keys())
    } catch (error) {
      void notify({ color: 'red', message: error instanceof Error ? error.message : String(error) })
    } finally {
      setLooking(null)
    }
  }
  const nameOf = (id: string) =>
    (entries.find((entry) => entry.id === id) ?? others.current.get(id))?.address ?? id
  return (
    <>
      <ChoiceBar count={looking ?? ids.length} onClear={() => chosen.set([])}>
        {(hasMore || ids.length < entries.length) && (
          <Button size="xs" variant="default" loading={looking !== null} onClick={() => void chooseAll()}>
            Choose all that match
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={<Trash2 size={14} aria-hidden />}
          disabled={looking !== null}
          onClick={() => setAsked(true)}
        >
          Remove
        </Button>
      </ChoiceBar>
      {asked && (
        <BatchDialog
          action={{
            title: `Remove ${counted} from the list?`,
            about:
              'Mail to these addresses is sent again. Recipients who unsubscribed or complained asked for no more mail, and bounces of addresses that do not exist harm the reputation of your domain.',
            act: `Remove ${counted}`,
            destructive: true,
            done: (count) => `${count.toLocaleString()} removed.`,
            run: (some) => removeSuppressions(company, some),
          }}
          ids={ids}
          nameOf={nameOf}
          onClose={(isDone) => {
            setAsked(false)
            if (!isDone) return
            chosen.set([])
            void listsChanged()
          }}
        />
      )}
    </>
  )
}
