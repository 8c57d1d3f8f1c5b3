/** The properties of an email: its addresses, times, tags and variables. */
import { Anchor, Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { EmailDetail } from '../../api/email.ts'
import { returnedMailOfEmail } from '../../api/returned-mail.ts'
import { ClockTime } from '../../parts/clock-time.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { octetsText } from '../../parts/octets.ts'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL } from '../../shell/company.ts'
import { KINDS } from '../returned/words.ts'
import classes from './email.module.css'

/** The most addresses of a field that are shown. The list of recipients has all of them. */
const MAX_SHOWN = 5
/** The most returned mails that are named: the newest. */
const MAX_RETURNED = 3
/** The most tags and variables that are shown without a click. */
const MAX_TAGS = 12

export function EmailFacts({ company, email }: { company: string; email: EmailDetail }) {
  const variables = Object.entries(email.variables)
  const [isUnfolded, unfold] = useState(false)
  const folded = isUnfolded ? 0 : Math.max(0, email.tags.length - MAX_TAGS)
  const most = isUnfolded ? Number.POSITIVE_INFINITY : MAX_TAGS
  return (
    <Facts>
      <Addresses name="To" of={email.to} />
      <Addresses name="Cc" of={email.cc} />
      <Addresses name="Bcc" of={email.bcc} />
      <Addresses name="Reply-To" of={email.replyTo} />
      {email.scheduledAt !== null && (
        <Fact name="Scheduled for">
          <ClockTime at={email.scheduledAt} />
        </Fact>
      )}
      <Fact name="Size">{octetsText(email.size)}</Fact>
      {company === ALL && (
        <Fact name="Company">
          <UntrustedText>{email.company.name}</UntrustedText>
        </Fact>
      )}
      {(email.tags.length > 0 || email.testMode) && (
        <Fact name="Tags">
          <span className={classes.tags}>
            {email.testMode && <Badge variant="default">test mode</Badge>}
            {email.tags.slice(0, most).map(({ name, value }) => (
              <Badge key={`${name} ${value}`} variant="default" className={classes.tag}>
                <UntrustedText>{name === 'tag' ? value : `${name}: ${value}`}</UntrustedText>
              </Badge>
            ))}
            {folded > 0 && <More count={folded} onClick={() => unfold(true)} />}
          </span>
        </Fact>
      )}
      {variables.slice(0, most).map(([name, value]) => (
        <Fact key={name} name={name}>
          <UntrustedText>{value}</UntrustedText>
        </Fact>
      ))}
      {variables.length > most && (
        <Fact name="Variables">
          <More count={variables.length - most} onClick={() => unfold(true)} />
        </Fact>
      )}
      <Fact name="Message-ID">
        <UntrustedText>{email.messageId}</UntrustedText>
      </Fact>
      <Returned company={company} email={email.id} />
    </Facts>
  )
}

/** The newest bounces, complaints and automatic replies about the email, with the way to all of them. */
function Returned({ company, email }: { company: string; email: string }) {
  const { data } = useQuery(returnedMailOfEmail(company, email))
  if (data === undefined || data.data.length === 0) return null
  const shown = data.data.slice(0, MAX_RETURNED)
  return (
    <Fact name="Returned mail">
      {shown.map(({ kind }) => KINDS[kind]).join(', ')}
      {(data.next !== null || data.data.length > shown.length) && ' and more'}:{' '}
      <Anchor
        size="sm"
        underline="always"
        renderRoot={(props) => (
          <Link {...props} to="/c/$company/returned" params={{ company }} search={{ email }} />
        )}
      >
        View returned mail
      </Anchor>
    </Fact>
  )
}

function More({ count, onClick }: { count: number; onClick: () => void }) {
  return (
    <Anchor component="button" type="button" size="sm" onClick={onClick}>
      {count.toLocaleString()} more
    </Anchor>
  )
}

function Addresses({ name, of }: { name: string; of: readonly string[] }) {
  if (of.length === 0) return null
  const shown = of.slice(0, MAX_SHOWN)
  return (
    <Fact name={name}>
      {shown.map((address, index) => (
        <span key={address}>
          {index > 0 && ', '}
          <UntrustedText>{address}</UntrustedText>
        </span>
      ))}
      {of.length > shown.length && ` and ${(of.length - shown.length).toLocaleString()} more`}
    </Fact>
  )
}
