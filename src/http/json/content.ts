import type { Content } from '../endpoint.ts'
import { checkJson, checkNotEncoded } from '../media-type.ts'
import { parseJson } from './body.ts'

/** Bodies of this dialect. */
export const jsonContent: Content = {
  check(headers) {
    checkJson(headers['content-type'])
    checkNotEncoded(headers['content-encoding'])
  },
  read: parseJson,
  isText: false,
}
