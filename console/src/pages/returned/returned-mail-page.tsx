/** Bounces, complaints and automatic replies: the list of returned mail. */
import { Anchor, Badge, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { type ReturnedMail, returnedMailQuery } from '../../api/returned-mail.ts'
import { Empty } from '../../parts/empty.tsx'
import { FilterBar, FilterChoice } from '../../parts/filter-bar.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { NoMatches } from '../../parts/no-matches.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { CursorLinks } from '../../parts/page-links.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL, useCompany } from '../../shell/company.ts'
import { ReturnedMailDialog } from './returned-mail-dialog.tsx'
import { KINDS, OUTCOMES } from './words.ts'

const HERE = '/signed-in/c/$company/returned'

export function ReturnedMailPage() {
  const company = useCompany()
  const search = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/returned' })
  const query = useQuery(returnedMailQuery(company, search))
  const [shown, setShown] = useState<ReturnedMail | null>(null)
  const { after: _after, before: _before, ...wanted } = search
  const isNarrowed = Object.values(wanted).some((value) => value !== undefined)
  const change = (part: typeof wanted) => void navigate({ search: { ...wanted, ...part }, replace: true })
  const clear = () => void navigate({ search: {}, replace: true })
  const { data } = query
  return (
    <>
      <PageHead
        title="Returned mail"
        about="Bounces, complaints and automatic replies, each with its outcome."
      />
      <FilterBar clear={isNarrowed ? clear : null}>
        <FilterChoice
          label="Kind"
          any="All kinds"
          words={KINDS}
          value={wanted.kind}
          onChange={(kind) => change({ kind })}
        />
        <FilterChoice
          label="Outcome"
          any="All outcomes"
          words={OUTCOMES}
          value={wanted.outcome}
          onChange={(outcome) => change({ outcome })}
        />
      </FilterBar>
      <ListTable
        query={query}
        rows={data?.data}
        keyOf={({ id }) => id}
        label="Returned mail"
        spacing="xs"
        columns={[
          {
            head: 'Mail',
            cell: (mail) => (
              <Anchor component="button" size="sm" ta="start" onClick={() => setShown(mail)}>
                <UntrustedText>{mail.subject || 'No subject'}</UntrustedText>
              </Anchor>
            ),
          },
          { head: 'Kind', cell: ({ kind }) => <Text size="sm">{KINDS[kind]}</Text> },
          {
            head: 'About',
            cell: ({ findings: [first, ...others] }) =>
              first !== undefined && (
                <Text size="sm">
                  <UntrustedText>{first.address}</UntrustedText>
                  {others.length > 0 && ` and ${others.length} more`}
                </Text>
              ),
          },
          {
            head: 'Outcome',
            cell: ({ outcome }) => (
              <Badge variant="light" color={outcome === 'recorded' ? 'road' : 'gray'}>
                {OUTCOMES[outcome]}
              </Badge>
            ),
          },
          company === ALL && {
            head: 'Company',
            cell: ({ company }) => <UntrustedText>{company?.name ?? '-'}</UntrustedText>,
          },
          {
            head: 'Email',
            cell: ({ email, company: owner }) =>
              email !== null &&
              owner !== null && (
                <Anchor
                  size="sm"
                  renderRoot={(props) => (
                    <Link {...props} to="/c/$company/emails/$email" params={{ company: owner.id, email }} />
                  )}
                >
                  View email
                </Anchor>
              ),
          },
          { head: 'Time', right: true, cell: ({ at }) => <Time at={at} /> },
        ]}
        empty={
          isNarrowed ? (
            <NoMatches icon={Undo2} what="mail" clear={clear} />
          ) : (
            <Empty icon={Undo2} title="Nothing has come back yet">
              Bounces and complaints arrive here once a domain has a return path, or the service reads a
              mailbox for them.
            </Empty>
          )
        }
      />
      <CursorLinks page={data} wanted={wanted} />
      <ReturnedMailDialog company={company} mail={shown} close={() => setShown(null)} />
    </>
  )
}
