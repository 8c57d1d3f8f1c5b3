/** Actions on the selected entries of the suppression list. */
import { Trash2 } from 'lucide-react'
import {
  matchingSuppressions,
  reloadSuppressions,
  removeSuppressions,
  type SuppressionFilter,
  type SuppressionItem,
} from '../../api/suppressions.ts'
import { useAllMatching } from '../../parts/all-matching.ts'
import type { BatchAction } from '../../parts/batch-dialog.tsx'
import { ChoiceBar } from '../../parts/choice-bar.tsx'
import type { RowSelection } from '../../parts/row-selection.ts'
import { ChoiceActions } from '../../shell/choice-actions.tsx'

const REMOVE = {
  name: 'remove',
  keys: 'Delete',
  label: 'Remove',
  does: 'Remove the selected entries',
  icon: Trash2,
} as const

interface SuppressionChoiceBarProps {
  company: string
  filter: SuppressionFilter
  entries: readonly SuppressionItem[]
  /** There are further pages. */
  hasMore: boolean
  chosen: RowSelection
}

export function SuppressionChoiceBar({
  company,
  filter,
  entries,
  hasMore,
  chosen,
}: SuppressionChoiceBarProps) {
  const matching = useAllMatching(entries, chosen, (onPage) => matchingSuppressions(company, filter, onPage))
  return (
    <ChoiceBar<'remove'>
      chosen={chosen}
      matching={matching}
      loaded={entries.length}
      hasMore={hasMore}
      actionOf={(_, ids) => removalOf(company, ids.length)}
      nameOf={(id) => matching.find(id)?.address ?? id}
      onClose={(_, isDone) => {
        if (isDone) void reloadSuppressions()
      }}
    >
      {(ask) => <ChoiceActions actions={[REMOVE]} ask={ask} />}
    </ChoiceBar>
  )
}

function removalOf(company: string, count: number): BatchAction {
  const counted = `${count.toLocaleString()} ${count === 1 ? 'entry' : 'entries'}`
  return {
    title: `Remove ${counted} from the list?`,
    about:
      'Mail to these addresses is sent again. Recipients who unsubscribed or complained asked for no more mail, and bounces of addresses that do not exist harm the reputation of your domain.',
    act: `Remove ${counted}`,
    destructive: true,
    done: (changed) => `${changed.toLocaleString()} removed.`,
    run: (ids) => removeSuppressions(company, ids),
  }
}
