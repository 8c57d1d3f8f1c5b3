/** A field that some clients send in the query and others in the body. */
import { Refusal } from '../../intake/refusal.ts'

/** The value from the first place that has the field. Throws a Refusal when none has it. */
export function fieldIn<Name extends string>(
  name: Name,
  ...places: { readonly [Each in Name]?: string | undefined }[]
): string {
  const value = places.map((place) => place[name]).find((each) => each !== undefined)
  if (value !== undefined) return value
  throw new Refusal({ code: 'field_missing', field: name })
}
