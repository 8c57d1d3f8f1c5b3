import { parseJson } from '../ingress/json-text/parse.ts'
import type { BodyContent } from './endpoint.ts'
import { checkJson, checkNotEncoded } from './media-type.ts'

/** Bodies in JSON. */
export const jsonContent: BodyContent = {
  check(headers) {
    checkJson(headers['content-type'])
    checkNotEncoded(headers['content-encoding'])
  },
  readBody: parseJson,
  isText: false,
}
