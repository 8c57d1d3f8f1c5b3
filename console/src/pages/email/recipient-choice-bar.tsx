/** Actions on the selected recipients of an email. */
import {
  actOnRecipients,
  countOf,
  type EmailDetail,
  emailQuery,
  RECIPIENTS_AT_ONCE,
  type RecipientsAction,
  reloadShownEmails,
} from '../../api/email.ts'
import { queries } from '../../api/queries.ts'
import { reloadSuppressions } from '../../api/suppressions.ts'
import { useAllMatching } from '../../parts/all-matching.ts'
import type { BatchAction } from '../../parts/batch-dialog.tsx'
import { ChoiceBar } from '../../parts/choice-bar.tsx'
import type { RowSelection } from '../../parts/row-selection.ts'
import { CANCEL, ChoiceActions, RETRY, SUPPRESS } from '../../shell/choice-actions.tsx'
import { matching as matchingRows, type RecipientLine, type RowFilter, rowsOf } from './recipient-rows.ts'

interface RecipientChoiceBarProps {
  company: string
  email: EmailDetail
  filter: RowFilter
  rows: readonly RecipientLine[]
  /** There are recipients that the table has not loaded. */
  hasMore: boolean
  chosen: RowSelection
}

const ACTIONS = [
  { ...RETRY, does: 'Retry the selected recipients' },
  { ...CANCEL, does: 'Cancel the selected recipients' },
  { ...SUPPRESS, does: 'Suppress the selected recipients' },
] as const

export function RecipientChoiceBar({
  company,
  email,
  filter,
  rows,
  hasMore,
  chosen,
}: RecipientChoiceBarProps) {
  const matching = useAllMatching(rows, chosen, async (onPage) => {
    const pages: EmailDetail[] = [email]
    for (let from = RECIPIENTS_AT_ONCE; from < countOf(email); from += RECIPIENTS_AT_ONCE) {
      pages.push(await queries.fetchQuery(emailQuery(company, email.id, from)))
      onPage(matchingRows(rowsOf(pages), filter).length)
    }
    return [...matchingRows(rowsOf(pages), filter)]
  })
  return (
    <ChoiceBar<RecipientsAction>
      chosen={chosen}
      matching={matching}
      loaded={rows.length}
      hasMore={hasMore}
      actionOf={(name, ids) => ({
        ...actionOf(name, ids.length),
        run: (some) => actOnRecipients(company, email.id, name, some),
      })}
      nameOf={(id) => matching.find(id)?.recipient.address ?? id}
      onClose={(name, isDone) => {
        if (!isDone) return
        void reloadShownEmails(new Set([email.id]))
        if (name === 'suppress') void reloadSuppressions()
      }}
    >
      {(ask) => <ChoiceActions actions={ACTIONS} ask={ask} />}
    </ChoiceBar>
  )
}

function counted(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'recipient' : 'recipients'}`
}

function actionOf(name: RecipientsAction, count: number): Omit<BatchAction, 'run'> {
  switch (name) {
    case 'retry':
      return {
        title: `Retry ${counted(count)} now?`,
        about: 'Those who wait for a later time are tried now. Attempts already made still count.',
        act: 'Retry',
        done: (changed) => `${counted(changed)} retried.`,
      }
    case 'cancel':
      return {
        title: `Cancel ${counted(count)}?`,
        about: 'Those who have not received the email yet will not get it. This cannot be undone.',
        act: `Cancel ${counted(count)}`,
        cancel: count === 1 ? 'Keep recipient' : 'Keep recipients',
        destructive: true,
        done: (changed) => `${counted(changed)} canceled.`,
      }
    case 'suppress':
      return {
        title: `Suppress ${counted(count)}?`,
        about:
          'Their addresses will be on the company’s suppression list. Mail that waits for them ends as suppressed. You can remove addresses from the list later.',
        act: `Suppress ${counted(count)}`,
        destructive: true,
        done: (changed) => `${counted(changed)} suppressed.`,
      }
  }
}
