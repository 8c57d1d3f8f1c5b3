/** The OpenAPI document, and checks of answers against it. */
import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { call, type Reply } from './requests.ts'

export interface Operation {
  operationId: string
  security?: Record<string, unknown>[]
  requestBody?: { content?: Record<string, { example?: unknown; schema?: { properties: object } }> }
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

export interface Route {
  method: string
  path: string
  operation: Operation
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })

export class OpenApi {
  readonly document: { paths: Record<string, Record<string, Operation>> }
  /** Answers that were held against it, as `METHOD /path status`. */
  readonly seen = new Set<string>()

  private constructor(document: OpenApi['document']) {
    this.document = document
  }

  static async of(url: string): Promise<OpenApi> {
    const { status, body } = await call(`${url}/openapi.json`)
    assert.equal(status, 200)
    return new OpenApi(body as unknown as OpenApi['document'])
  }

  get routes(): Route[] {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
      })),
    )
  }

  /** Compares an answer with the document. */
  hold(method: string, path: string, { status, headers, text, body }: Reply): void {
    const operation = this.document.paths[path]?.[method.toLowerCase()]
    assert.ok(operation, `${method} ${path} is not in the document`)
    const answer = operation.responses[status] ?? operation.responses.default
    assert.ok(answer, `${method} ${path} answered ${status}, which the document does not tell of: ${text}`)
    if (answer.content === undefined) {
      assert.equal(text, '', `${method} ${path} answered ${status} with content`)
      this.seen.add(`${method} ${path} ${status}`)
      return
    }
    const type = headers.get('content-type')!.split(';')[0]!
    const told = answer.content?.[type] ?? answer.content?.['*/*']
    assert.ok(told, `${method} ${path} answered ${status} with ${type}: ${text}`)
    const value = type === 'application/json' ? body : text
    const valid = ajv.validate(told.schema, value)
    assert.ok(valid, `${method} ${path} answered ${status}: ${ajv.errorsText()}: ${text}`)
    this.seen.add(`${method} ${path} ${status}`)
  }
}
