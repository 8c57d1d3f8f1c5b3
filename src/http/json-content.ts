import { parseJson } from '../ingress/json-text/parse.ts'
import type { Content } from './endpoint.ts'
import { checkJson, checkNotEncoded } from './media-type.ts'

/** Bodies in JSON. */
export const jsonContent: Content = {
  check(headers) {
    checkJson(headers['content-type'])
    checkNotEncoded(headers['content-encoding'])
  },
  read: parseJson,
  isText: false,
}
