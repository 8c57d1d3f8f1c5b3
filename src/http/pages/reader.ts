/**
 * The OpenAPI document as one page for people: every route with its input and output. It has no script, and needs
 * nothing from elsewhere.
 */
import type { Answer } from '../answer.ts'
import { escapedHtml, htmlPages } from '../html-page.ts'

/** The parts of a schema that the page uses. */
interface Schema {
  type?: string | string[]
  description?: string
  format?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}

interface MediaContent {
  content?: Record<string, { schema?: Schema; example?: unknown }>
}

interface OpenApiOperation {
  summary?: string
  description?: string
  operationId?: string
  tags?: string[]
  security?: Record<string, unknown>[]
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[]
  requestBody?: MediaContent
  responses: Record<string, MediaContent & { description?: string }>
}

export interface Document {
  info: { title: string; version: string; description?: string }
  paths: Record<string, Record<string, OpenApiOperation>>
}

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2733;background:#fff}' +
  'a{color:#0b5cad}h1{margin-bottom:.5rem}h2{margin-top:3rem}nav ul{list-style:none;margin:.5rem 0 1.5rem;padding:0}' +
  'nav li{margin:.3rem 0}nav a{margin-right:.4rem}' +
  'code{background:#eef2f5;padding:.1em .3em;border-radius:.2em;overflow-wrap:anywhere}' +
  'section{border-top:1px solid #ccd5dc;padding:.5rem 0 1rem}h3{margin:.8rem 0 .2rem}h4{margin:1rem 0 0}small,dd small{color:#5a6875}' +
  'pre{background:#eef2f5;padding:.6rem .8rem;border-radius:.2em;overflow-x:auto;font-size:.9rem}dd>p{margin:.2rem 0}' +
  'dl{margin:.3rem 0 0 1rem}dt{margin-top:.4rem}dd{margin-left:1.5rem}h4+dd{margin-left:1rem}' +
  '@media(max-width:40rem){dl,h4+dl,h4+dd{margin-left:0}dd{margin-left:.8rem}pre{font-size:.8rem}}' +
  '@media(prefers-color-scheme:dark){body{color:#dde4ea;background:#14191e}a{color:#8ab8e6}code,pre{background:#26303a}' +
  'section{border-color:#3a4651}small,dd small{color:#93a1ad}}'

const page = htmlPages({ style: STYLE })

/** Levels of a schema that are shown: hardly any schema is deeper. */
const DEPTH = 8

export function readerPage({ info, paths }: Document): Answer {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const byTag = [...Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? '')]
  const links = byTag.map(
    ([tag, each]) =>
      `<p><b>${escapedHtml(tag)}</b><ul>${each.map((one) => `<li><a href="#${anchor(one)}">${title(one)}</a> ${words(one.operation.summary)}`).join('')}</ul>`,
  )
  const content = `<h1>${escapedHtml(info.title)} API</h1>
<p><small>version ${escapedHtml(info.version)}, as <a href="/openapi.json">OpenAPI 3.1</a></small>
<p>${words(info.description)}
<nav>${links.join('')}</nav>
${byTag.map(([tag, each]) => `<h2>${escapedHtml(tag)}</h2>${each.map(section).join('')}`).join('\n')}`
  return page({ title: `${info.title} API`, content })
}

interface OperationEntry {
  method: string
  path: string
  operation: OpenApiOperation
}

const anchor = ({ method, path, operation }: OperationEntry) =>
  escapedHtml(operation.operationId ?? `${method} ${path}`)
/** A long path may break after each of its parts. */
const title = ({ method, path }: OperationEntry) =>
  `<code>${method} ${escapedHtml(path).replace(/(?<=.)\//g, '<wbr>/')}</code>`

function section(entry: OperationEntry): string {
  const { summary, description, security = [], parameters = [], requestBody, responses } = entry.operation
  const scheme = Object.keys(security[0] ?? {})[0]
  const named = Map.groupBy(parameters, (parameter) => parameter.in)
  const given = [...named].map(([place, each]) => {
    const fields = each.map(({ name, required, description, schema = {} }) =>
      field(name, { ...schema, ...(description !== undefined && { description }) }, required === true, 1),
    )
    return `<h4>In the ${place}</h4><dl>${fields.join('')}</dl>`
  })
  const answers = Object.entries(responses).map(
    ([status, answer]) =>
      `<dt><code>${escapedHtml(status === 'default' ? 'other' : status)}</code> ${words(answer.description)}${bodies(answer)}`,
  )
  return (
    `<section id="${anchor(entry)}"><h3>${title(entry)}</h3><p>${words(summary)}. ${words(description)}` +
    ` <small>${scheme === undefined ? 'No key is needed.' : `Authorization: ${escapedHtml(scheme)}.`}</small>` +
    given.join('') +
    (requestBody === undefined ? '' : `<h4>Body</h4>${bodies(requestBody)}`) +
    `<h4>Answers</h4><dl>${answers.join('')}</dl></section>`
  )
}

/** The schema shared by several media types is shown once. */
function bodies({ content = {} }: MediaContent): string {
  const types = Object.keys(content)
  if (types.length === 0) return ''
  const names = types.map((type) => `<code>${escapedHtml(type)}</code>`).join(' or ')
  const { schema, example } = content[types[0]!]!
  const shown = example === undefined ? '' : `<pre>${escapedHtml(JSON.stringify(example, null, 2))}</pre>`
  return `<dd><p>${names}</p>${shown}${schema === undefined ? '' : shape(schema, 0)}</dd>`
}

function field(name: string, schema: Schema, required: boolean, depth: number): string {
  const need = required ? '' : ', optional'
  return `<dt><code>${escapedHtml(name)}</code> <small>${kind(schema)}${need}</small><dd>${shape(schema, depth)}</dd>`
}

/** The description of a schema and of its parts. */
function shape(schema: Schema, depth: number): string {
  const { description, properties = {}, required = [] } = schema
  const fields = Object.entries(properties).map(([name, each]) =>
    field(name, each, required.includes(name), depth + 1),
  )
  const inner = partsOf(schema).filter(hasFields)
  return (
    (description === undefined ? '' : ` ${words(description)}`) +
    (fields.length === 0 || depth > DEPTH ? '' : `<dl>${fields.join('')}</dl>`) +
    (depth > DEPTH ? '' : inner.map((each) => shape(each, depth + 1)).join(''))
  )
}

/** The schemas of items, choices, and values whose keys are free. */
function partsOf({ items, anyOf, oneOf, additionalProperties }: Schema): Schema[] {
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined
  return [items, values, ...(anyOf ?? oneOf ?? [])].filter((each) => each !== undefined)
}

function hasFields(schema: Schema): boolean {
  return schema.properties !== undefined || partsOf(schema).some(hasFields)
}

/** The type in a few words. */
function kind(schema: Schema): string {
  const { type, format, items, anyOf, oneOf, minimum, maximum, minLength, maxLength, maxItems } = schema
  if (schema.const !== undefined) return `<code>${escapedHtml(JSON.stringify(schema.const))}</code>`
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => `<code>${escapedHtml(JSON.stringify(value))}</code>`).join(' ')
  }
  if (typeof schema.additionalProperties === 'object' && schema.properties === undefined) {
    return `object of ${kind(schema.additionalProperties)} by key`
  }
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return choices.map(kind).join(' or ')
  const base =
    type === 'array'
      ? `list of ${items ? kind(items) : 'values'}`
      : escapedHtml([type ?? 'any'].flat().join(' or '))
  const bounds = [
    format,
    minimum === undefined ? undefined : `from ${minimum}`,
    maximum === undefined ? undefined : `to ${maximum}`,
    minLength === undefined ? undefined : `at least ${minLength} characters`,
    maxLength === undefined ? undefined : `at most ${maxLength} characters`,
    maxItems === undefined ? undefined : `at most ${maxItems}`,
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ]
  const escaped = bounds.filter((bound) => bound !== undefined).map((bound) => escapedHtml(bound))
  return [base, ...escaped].join(', ')
}

/** A sentence, with text in backticks as code. */
function words(text = ''): string {
  return escapedHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}
