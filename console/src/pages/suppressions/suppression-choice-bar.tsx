/** Actions on the chosen entries of the suppression list. */
import { Button } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  listsChanged,
  matchingSuppressions,
  removeSuppressions,
  type SuppressionFilter,
  type SuppressionItem,
} from '../../api/suppressions.ts'
import { useAllMatching } from '../../parts/all-matching.ts'
import { BatchDialog } from '../../parts/batch-dialog.tsx'
import { ChoiceBar } from '../../parts/choice-bar.tsx'
import type { Chosen } from '../../parts/chosen.ts'

interface SuppressionChoiceBarProps {
  company: string
  filter: SuppressionFilter
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
  const matching = useAllMatching(entries, chosen, (onPage) => matchingSuppressions(company, filter, onPage))
  const ids = [...chosen.ids]
  const counted = `${ids.length.toLocaleString()} ${ids.length === 1 ? 'entry' : 'entries'}`
  return (
    <>
      <ChoiceBar
        count={ids.length}
        matching={matching}
        hasOthers={hasMore || ids.length < entries.length}
        onClear={() => chosen.set([])}
      >
        <Button
          size="xs"
          variant="default"
          leftSection={<Trash2 size={14} aria-hidden />}
          disabled={matching.looking !== null}
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
          nameOf={(id) => matching.find(id)?.address ?? id}
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
