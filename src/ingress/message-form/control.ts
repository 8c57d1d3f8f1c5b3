/**
 * `X-Mailgun-*` fields, in a ready message or as `h:` fields: another spelling of form fields. Each is read like its
 * form field, so that both are refused alike. A field without such a twin has no effect. No such field is sent.
 */
import { type ControlField, isControlField } from '../../mail/raw/control.ts'
import type { OptionField } from './options.ts'
import { type ByAddress, RecipientVariables, readVariables } from './recipient-variables.ts'
import type { OptionName } from './schemas.ts'

/** The control field of each option, supported or refused. */
const FIELD_OF: Readonly<Record<OptionName, string> & Record<`o:${string}`, string>> = {
  'o:tag': 'x-mailgun-tag',
  'o:testmode': 'x-mailgun-drop-message',
  'o:deliverytime': 'x-mailgun-deliver-by',
  'o:require-tls': 'x-mailgun-require-tls',
  'o:skip-verification': 'x-mailgun-skip-verification',
  'o:deliver-within': 'x-mailgun-deliver-within',
  'o:deliverytime-optimize-period': 'x-mailgun-delivery-time-optimize-period',
  'o:time-zone-localize': 'x-mailgun-time-zone-localize',
  'o:dkim': 'x-mailgun-dkim',
  'o:secondary-dkim': 'x-mailgun-secondary-dkim',
  'o:sending-ip': 'x-mailgun-sending-ip',
  'o:sending-ip-pool': 'x-mailgun-sending-ip-pool',
  'o:archive-to': 'x-mailgun-archive-to',
}
const TWINS: ReadonlyMap<string, string> = new Map(
  Object.entries(FIELD_OF).map(([option, field]) => [field, option]),
)
const VARIABLES = 'x-mailgun-variables'
const RECIPIENT_VARIABLES = 'x-mailgun-recipient-variables'
const TEMPLATE = 'x-mailgun-template-name'

export interface Controls {
  options: OptionField[]
  variables: [name: string, value: string][]
  recipientVariables?: ByAddress
  /** The client's name of the field that names a template. */
  template?: string
  /** Octets that count towards the limit of options. */
  octets: number
}

export const isControl = (name: string) => isControlField(name.toLowerCase())

/** `prefix` precedes the field names in error messages. Throws a Fault for an unreadable value. */
export function readControls(fields: readonly ControlField[], prefix = ''): Controls {
  const controls: Controls = { options: [], variables: [], octets: 0 }
  const recipients = new RecipientVariables()
  for (const { name, value } of fields) {
    if (value === '') continue
    const lower = name.toLowerCase()
    const shown = prefix + name
    const twin = TWINS.get(lower)
    if (lower === RECIPIENT_VARIABLES) {
      recipients.add(value, shown)
      continue
    }
    if (lower === VARIABLES) controls.variables.push(...readVariables(value, shown))
    else if (twin !== undefined) controls.options.push({ name: twin, value, shown })
    else if (lower === TEMPLATE) controls.template ??= shown
    else continue
    controls.octets += Buffer.byteLength(name) + Buffer.byteLength(value)
  }
  const { byAddress } = recipients
  if (byAddress !== undefined) controls.recipientVariables = byAddress
  return controls
}

/**
 * Merges the options of several sources, the strongest first: an option set by one source is ignored in those after it.
 * Tags add up.
 */
export function strongest(sources: readonly (readonly OptionField[])[]): OptionField[] {
  const named = new Set<string>()
  const kept: OptionField[] = []
  for (const source of sources) {
    const given = source.filter(({ name, value }) => value !== '' && !named.has(name))
    kept.push(...given)
    for (const { name } of given) if (name !== 'o:tag') named.add(name)
  }
  return kept
}
