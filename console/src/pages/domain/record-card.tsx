/** One DNS record: the expected value, the value found in DNS, and advice. */

import { Badge, Code, Group, Loader, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { CircleCheck, CircleDashed, CircleHelp, type LucideIcon, TriangleAlert } from 'lucide-react'
import { isPreviousKey, RECORD_NAMES } from '../../../../src/accounts/record-names.ts'
import { foundOf, isInWords, valueToPublish } from '../../../../src/accounts/zone-file.ts'
import type { DomainCheck, DomainDkimKey, RequiredRecord, SenderRecord } from '../../api/domains.ts'
import { capitalized } from '../../parts/capitalized.ts'
import { Copy } from '../../parts/copy.tsx'
import classes from './record-card.module.css'
import { FULL_FORM, nameIn, type RecordForm, textIn, valueIn } from './record-names.ts'

/** A record of the domain, or one that receivers look up about the sender. */
type CardRecord = Pick<RequiredRecord, 'name' | 'value' | 'preference' | 'required' | 'purpose'> & {
  kind: RequiredRecord['kind'] | SenderRecord['kind']
  type: string
}
type CardCheck = Pick<DomainCheck, 'state' | 'found' | 'advice' | 'explanation' | 'suggestion'>

const KINDS: Readonly<Record<CardRecord['kind'], string>> = {
  ...RECORD_NAMES,
  ehlo: 'EHLO address',
  ptr: 'PTR',
  bimi: 'BIMI',
}

const VERDICTS: Readonly<Record<DomainCheck['state'], { word: string; color: string; icon: LucideIcon }>> = {
  right: { word: 'Found', color: 'road', icon: CircleCheck },
  missing: { word: 'Not found yet', color: 'gray', icon: CircleDashed },
  different: { word: 'Different', color: 'orange', icon: TriangleAlert },
  unknown: { word: 'No answer', color: 'orange', icon: CircleHelp },
}

export interface RecordLookup {
  check: CardCheck | undefined
  /** A DNS lookup is under way. */
  looking: boolean
  error: Error | null
}

export function RecordCard({
  record,
  form,
  lookup,
  dkimKey,
}: {
  record: CardRecord
  /** The DKIM key that the record publishes. */
  dkimKey?: DomainDkimKey | undefined
  /** How it is to be entered; null: not known yet. */
  form: RecordForm | null
  lookup: RecordLookup
}) {
  const { kind, name, type, required, purpose } = record
  const entered = form && valueIn(form, record)
  const title = `${isPreviousKey(dkimKey?.stage) ? 'Previous ' : ''}${KINDS[kind]} record`
  const { check } = lookup
  const isByHand =
    check !== undefined && check.state !== 'right' && valueToPublish({ ...record, ...check }) === null
  return (
    <Paper withBorder p="md" component="section" aria-label={`${title} ${name}`}>
      <Group justify="space-between" mb={4} gap="xs">
        <Group gap="xs">
          <Title order={2} size="h5">
            {title}
          </Title>
          <Badge variant="default" size="sm">
            {needOf(required, dkimKey)}
          </Badge>
        </Group>
        <Verdict {...lookup} />
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        {withoutKind(purpose)}
      </Text>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <dl className={classes.wanted}>
          <dt>Type</dt>
          <dd>
            <Code>{type}</Code>
          </dd>
          <dt>Name</dt>
          <dd>{form === null ? <Waiting /> : <RecordName form={form} name={name} title={title} />}</dd>
          <dt>Value</dt>
          <dd>
            {entered === null ? (
              <Waiting />
            ) : isByHand ? (
              <Text size="sm" c="dimmed" pt={1}>
                mend the record that DNS has
              </Text>
            ) : (
              <RecordValue value={entered.value} type={type} title={title} />
            )}
          </dd>
          {entered !== null && entered.preference !== null && (
            <>
              <dt>Priority</dt>
              <dd>
                <Code>{entered.preference}</Code>
              </dd>
            </>
          )}
        </dl>
        <FoundRecords record={record} form={form ?? FULL_FORM} {...lookup} />
      </SimpleGrid>
    </Paper>
  )
}

/** The title names the kind of record; elsewhere the sentence does. */
function withoutKind(purpose: string): string {
  return capitalized(purpose.replace(/^[A-Z]+: /, ''))
}

function Waiting() {
  return <Skeleton h={14} mt={6} maw={240} />
}

function RecordName({ form, name, title }: { form: RecordForm; name: string; title: string }) {
  const shown = nameIn(form, name)
  if (shown === '') {
    return (
      <Text size="sm" c="dimmed" pt={1}>
        leave it empty
      </Text>
    )
  }
  return (
    <>
      <Text className={classes.text} data-record-name>
        {shown}
      </Text>
      <Copy value={shown} what={`the name of the ${title}`} />
    </>
  )
}

function RecordValue({ value, type, title }: { value: string; type: string; title: string }) {
  return (
    <>
      <Text className={classes.text} data-record-value>
        {value}
      </Text>
      {!isInWords({ type, value }) && <Copy value={value} what={`the value of the ${title}`} />}
    </>
  )
}

function needOf(required: boolean, key: DomainDkimKey | undefined): string {
  if (key?.stage === 'retiring') return 'Keep for now'
  if (required) return 'Required'
  if (key === undefined) return 'Recommended'
  if (key.stage === 'next') return 'Next key'
  if (key.stage === 'retired') return 'May be removed'
  return key.delegated ? 'Reserve key' : 'Not in use'
}

export function Verdict({ check, looking }: RecordLookup) {
  const { word, color, icon: Icon } = VERDICTS[check?.state ?? 'unknown']
  return (
    <Group gap="xs" role="status">
      {looking && <Loader size={14} role="img" aria-label="Checking DNS" />}
      {check === undefined ? (
        <Text size="sm" c="dimmed">
          {looking ? 'Checking DNS...' : 'Not checked yet'}
        </Text>
      ) : (
        <Badge variant="light" color={color} size="lg" leftSection={<Icon size={14} aria-hidden />}>
          {word}
        </Badge>
      )}
    </Group>
  )
}

function FoundRecords({
  record,
  form,
  check,
  error,
}: RecordLookup & { record: CardRecord; form: RecordForm }) {
  if (error !== null && check === undefined) {
    return (
      <Text size="sm" c="red" role="alert">
        {error.message}
      </Text>
    )
  }
  if (check === undefined) return <div />
  const { state, found, advice, explanation } = check
  const suggestion = check.suggestion && textIn(form, check.suggestion)
  const others = kindsApart(record, found)
  return (
    <Stack gap="xs">
      {(others.shown.length > 0 || others.hidden > 0 || !advice) && (
        <Text size="sm" fw={600}>
          Found in DNS
        </Text>
      )}
      {others.shown.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two records may have the same text
        <Text key={index} className={`${classes.text} ${classes.found}`} data-found>
          {text}
        </Text>
      ))}
      {/* The advice says what is missing, and where. */}
      {others.shown.length === 0 && !advice && (
        <Text size="sm" c="dimmed">
          {state === 'unknown' ? 'DNS did not answer.' : `No ${KINDS[record.kind]} record.`}
        </Text>
      )}
      {others.hidden > 0 && (
        <Text size="xs" c="dimmed">
          and {others.hidden} TXT {others.hidden === 1 ? 'record' : 'records'} for other purposes, which can
          stay.
        </Text>
      )}
      {advice && (
        <Text size="sm" fw={500}>
          {advice}
        </Text>
      )}
      {explanation && (
        <Text size="sm" c="dimmed">
          {explanation}
        </Text>
      )}
      {suggestion && (
        <div>
          <Text size="sm">Publish this record instead:</Text>
          <Group gap={4} wrap="nowrap" align="flex-start">
            <Text className={classes.text} data-suggestion>
              {suggestion}
            </Text>
            <Copy value={suggestion} what="the value to publish instead" />
          </Group>
        </div>
      )}
    </Stack>
  )
}

/** Hides TXT records of other services at the name of the SPF record: they are harmless and not checked. */
function kindsApart({ kind }: CardRecord, found: string[]): { shown: string[]; hidden: number } {
  const shown = foundOf({ kind, found })
  return { shown, hidden: found.length - shown.length }
}
