/** Actions on the selected emails. */
import { Trash2 } from 'lucide-react'
import { MAX_CHOSEN } from '../../api/all-rows.ts'
import { call } from '../../api/client.ts'
import { reloadEmailList, reloadShownEmails } from '../../api/email.ts'
import { useIsCapture } from '../../api/session.ts'
import { reloadSuppressions } from '../../api/suppressions.ts'
import { useAllMatching } from '../../parts/all-matching.ts'
import type { BatchAction } from '../../parts/batch-dialog.tsx'
import { ChoiceBar } from '../../parts/choice-bar.tsx'
import { notify } from '../../parts/notify.ts'
import type { RowSelection } from '../../parts/row-selection.ts'
import { CANCEL, ChoiceActions, RETRY, SUPPRESS } from '../../shell/choice-actions.tsx'
import { deletionOf } from './deletion.ts'
import { ExportMenu } from './export-menu.tsx'
import { matchingEmails } from './matching.ts'
import type { EmailListItem } from './merge.ts'
import type { EmailsSearch } from './search.ts'

interface EmailChoiceBarProps {
  company: string
  search: EmailsSearch
  emails: readonly EmailListItem[]
  /** There are more emails than those. */
  hasMore: boolean
  chosen: RowSelection
  mayManage: boolean
  /** Whether deletion was asked for before the bar was shown. */
  deletes: boolean
  onDeletion: (isDone: boolean) => void
}

const ACTIONS = [
  { ...RETRY, does: 'Retry the selected emails' },
  { ...CANCEL, does: 'Cancel the selected emails' },
  { ...SUPPRESS, does: 'Suppress the recipients of the selected emails' },
  // In capture mode.
  { name: 'delete', keys: 'Delete', label: 'Delete', does: 'Delete the selected emails', icon: Trash2 },
] as const
type ActionName = (typeof ACTIONS)[number]['name']

export function EmailChoiceBar({
  company,
  search,
  emails,
  hasMore,
  chosen,
  mayManage,
  deletes,
  onDeletion,
}: EmailChoiceBarProps) {
  const captures = useIsCapture()
  const matching = useAllMatching(emails, chosen, async (onPage) => {
    const all = await matchingEmails(company, search, onPage)
    if (all.length === MAX_CHOSEN) {
      void notify({ message: `${MAX_CHOSEN.toLocaleString()} emails are selected, the most at once.` })
    }
    return all
  })
  const { find } = matching
  const offered = ACTIONS.filter(({ name }) => captures || name !== 'delete')
  return (
    <ChoiceBar<ActionName>
      chosen={chosen}
      matching={matching}
      loaded={emails.length}
      hasMore={hasMore}
      first={deletes ? 'delete' : null}
      actionOf={(name, ids) =>
        name === 'cancel'
          ? cancellationOf(company, ids, (id) => isUnfinished(find(id)))
          : actionOf(name, company, {
              emails: ids.length,
              recipients: ids.reduce((sum, id) => sum + (find(id)?.recipients ?? 1), 0),
            })
      }
      nameOf={(id) => find(id)?.subject || id}
      onClose={(name, isDone) => {
        if (isDone) {
          void (name === 'delete' ? reloadEmailList() : reloadShownEmails('all'))
          if (name === 'suppress') void reloadSuppressions()
        }
        if (name === 'delete') onDeletion(isDone)
      }}
    >
      {(ask) => (
        <>
          {mayManage && <ChoiceActions actions={offered} ask={ask} />}
          <ExportMenu size="xs" load={async () => [...chosen.ids].flatMap((id) => find(id) ?? [])} />
        </>
      )}
    </ChoiceBar>
  )
}

function counted(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'email' : 'emails'}`
}

/** States in which a recipient can be canceled. */
const UNFINISHED: ReadonlySet<string> = new Set(['waiting', 'sending', 'quarantined'])

/** A row that is not known, or lists only some of its recipients, may be. */
function isUnfinished(email: EmailListItem | undefined): boolean {
  if (email === undefined) return true
  const known = email.states.reduce((sum, { count }) => sum + count, 0)
  return known < email.recipients || email.states.some(({ state }) => UNFINISHED.has(state))
}

/** Leaves out emails that are over: they stay so. */
function cancellationOf(
  company: string,
  chosen: readonly string[],
  isUnfinished: (id: string) => boolean,
): BatchAction {
  const ids = chosen.filter(isUnfinished)
  const others = chosen.length - ids.length
  const rest =
    others === 0
      ? ''
      : ` No recipient of the ${others === 1 ? 'other selected email' : `other ${others.toLocaleString()} selected emails`} is waiting.`
  return {
    title: ids.length > 0 ? `Cancel ${counted(ids.length)}?` : 'Nothing to cancel',
    about:
      ids.length > 0
        ? `Recipients who have not received their email yet will not get it. This cannot be undone.${rest}`
        : 'No recipient of the selected emails is waiting.',
    act: `Cancel ${counted(ids.length)}`,
    cancel: ids.length === 1 ? 'Keep email' : 'Keep emails',
    destructive: true,
    done: (changed) => `${counted(changed)} canceled.`,
    run: (some) => call('POST /companies/:company/emails/cancel', { company, body: { ids: some } }),
    ids,
  }
}

function actionOf(
  name: Exclude<ActionName, 'cancel'>,
  company: string,
  { emails: count, recipients }: { emails: number; recipients: number },
): BatchAction {
  if (name === 'retry') {
    return {
      title: `Retry ${counted(count)} now?`,
      about: 'Recipients that wait for a later time are tried now. Attempts already made still count.',
      act: 'Retry',
      done: (changed) => `${counted(changed)} retried.`,
      run: (ids) => call('POST /companies/:company/emails/retry', { company, body: { ids } }),
    }
  }
  if (name === 'suppress') {
    const all = recipients === 1 ? 'The recipient' : `All ${recipients.toLocaleString()} recipients`
    return {
      title: `Suppress the recipients of ${counted(count)}?`,
      about:
        `${all} of ${count === 1 ? 'this email' : 'these emails'}, Cc and Bcc included, will be on the ` +
        'company’s suppression list. Mail that waits for them ends as suppressed. You can remove addresses ' +
        'from the list later.',
      act: recipients === 1 ? 'Suppress address' : `Suppress ${recipients.toLocaleString()} recipients`,
      destructive: true,
      done: (changed) => `The recipients of ${counted(changed)} are suppressed.`,
      run: (ids) => call('POST /companies/:company/emails/suppress', { company, body: { ids } }),
    }
  }
  return {
    title: `Delete ${counted(count)}?`,
    about: deletionOf(count),
    act: `Delete ${counted(count)}`,
    destructive: true,
    done: (changed) => `${counted(changed)} deleted.`,
    run: (ids) => call('POST /companies/:company/emails/delete', { company, body: { ids } }),
  }
}
