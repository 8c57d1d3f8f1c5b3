/** The content of an email. Each view has a tab of its own, which can be linked to. */

import { Alert, Skeleton, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ComponentType, Suspense } from 'react'
import { contentQuery, type EmailDetail } from '../../api/email.ts'
import { useIsCapture } from '../../api/session.ts'
import { later } from '../../parts/later.ts'
import { Pending } from '../../parts/pending.tsx'
import { useReadMark } from '../emails/read-marks.ts'
import { AttachmentsView } from './attachments-view.tsx'
import { CopyChoice } from './copy-choice.tsx'
import { useEmailView } from './email-view.tsx'
import { PreviewView } from './preview-view.tsx'
import { TABS, type Tab } from './search.ts'
import { TextView } from './text-view.tsx'
import type { EmailViewProps } from './view.ts'

const MarkupView = later(() => import('./markup-view.tsx'), 'MarkupView')
const SourceView = later(() => import('./source-view.tsx'), 'SourceView')
const HeadersView = later(() => import('./headers-view.tsx'), 'HeadersView')

const ChecksView = later(() => import('./checks-view.tsx'), 'ChecksView')

/** The tabs that are the same for every copy. */
const WHOLE: ReadonlySet<Tab> = new Set(['markup', 'attachments', 'checks'])

const VIEWS: Readonly<Record<Tab, { label: string; View: ComponentType<EmailViewProps> }>> = {
  html: { label: 'HTML', View: PreviewView },
  markup: { label: 'Markup', View: MarkupView },
  text: { label: 'Text', View: TextView },
  headers: { label: 'Headers', View: HeadersView },
  source: { label: 'Source', View: SourceView },
  attachments: { label: 'Attachments', View: AttachmentsView },
  checks: { label: 'Checks', View: ChecksView },
}

export function EmailTabs({ company, email }: { company: string; email: EmailDetail }) {
  const content = useQuery(contentQuery(company, email.id))
  const { shown, show } = useEmailView()
  useReadMark({ id: email.id, company: email.company.id }, useIsCapture())
  if (!content.data) return <Pending of={content} />
  if (content.data.removed) {
    return (
      <Alert color="gray" title="The content was removed">
        Its retention period has ended. The history of the email is still available.
      </Alert>
    )
  }
  const tab = shown.tab ?? (content.data.html === null ? 'text' : 'html')
  const { View } = VIEWS[tab]
  const tabs = TABS.filter((name) => name !== 'markup' || content.data.html !== null || tab === name)
  return (
    <Tabs
      value={tab}
      onChange={(value) => show({ tab: value as Tab })}
      keepMounted={false}
      component="section"
      aria-label="Content"
    >
      <Tabs.List mb="sm">
        {tabs.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {VIEWS[name].label}
            {name === 'attachments' && content.data.files.length > 0 && (
              <Text component="span" inherit c="dimmed">{` ${content.data.files.length}`}</Text>
            )}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {content.data.individual && !WHOLE.has(tab) && <CopyChoice email={email} />}
      <Tabs.Panel value={tab}>
        <Suspense fallback={<Skeleton h={240} />}>
          <View company={company} email={email} content={content.data} />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  )
}
