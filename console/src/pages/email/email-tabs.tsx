/** The content of an email. Each view has a tab of its own, which can be linked to. */
import { Alert, Skeleton, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { contentQuery, type EmailContent, type EmailDetail } from '../../api/email.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { AttachmentsView } from './attachments-view.tsx'
import { CopyChoice } from './copy-choice.tsx'
import { PreviewView } from './preview-view.tsx'
import { TABS, type Tab, useEmailPageSearch, useShow } from './search.ts'
import { TextView } from './text-view.tsx'

const SourceView = lazy(async () => ({ default: (await import('./source-view.tsx')).SourceView }))
const HeadersView = lazy(async () => ({ default: (await import('./headers-view.tsx')).HeadersView }))

const ChecksView = lazy(async () => ({ default: (await import('./checks-view.tsx')).ChecksView }))

/** The tabs that are the same for every copy. */
const WHOLE: ReadonlySet<Tab> = new Set(['attachments', 'checks'])

const LABELS: Readonly<Record<Tab, string>> = {
  html: 'HTML',
  text: 'Text',
  headers: 'Headers',
  source: 'Source',
  attachments: 'Attachments',
  checks: 'Checks',
}

export function EmailTabs({ company, email }: { company: string; email: EmailDetail }) {
  const content = useQuery(contentQuery(company, email.id))
  const shown = useEmailPageSearch()
  const show = useShow()
  if (content.error) return <ErrorAlert error={content.error} reset={() => void content.refetch()} />
  if (content.isPending) return <Skeleton h={240} />
  if (content.data.removed) {
    return (
      <Alert color="gray" title="The content was removed">
        Its retention period has ended. The history of the email is still available.
      </Alert>
    )
  }
  const tab = shown.tab ?? (content.data.html === null ? 'text' : 'html')
  return (
    <Tabs
      value={tab}
      onChange={(value) => show({ tab: value as Tab })}
      keepMounted={false}
      component="section"
      aria-label="Content"
    >
      <Tabs.List mb="sm">
        {TABS.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {LABELS[name]}
            {name === 'attachments' && content.data.files.length > 0 && (
              <Text component="span" c="dimmed">{` ${content.data.files.length}`}</Text>
            )}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {content.data.individual && !WHOLE.has(tab) && <CopyChoice email={email} />}
      <Tabs.Panel value={tab}>
        <Suspense fallback={<Skeleton h={240} />}>
          <View tab={tab} company={company} email={email} content={content.data} />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  )
}

function View({ tab, ...given }: { tab: Tab; company: string; email: EmailDetail; content: EmailContent }) {
  switch (tab) {
    case 'html':
      return <PreviewView {...given} />
    case 'text':
      return <TextView {...given} />
    case 'headers':
      return <HeadersView {...given} />
    case 'source':
      return <SourceView {...given} />
    case 'attachments':
      return <AttachmentsView {...given} />
    case 'checks':
      return <ChecksView {...given} />
  }
}
