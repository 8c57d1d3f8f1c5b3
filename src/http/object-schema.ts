/** Schemas of objects: plain JSON Schema. */

type Properties = Readonly<Record<string, object>>

interface ObjectSchema<Required extends Properties, Optional extends Properties> {
  readonly type: 'object'
  readonly additionalProperties: false
  /** One of the names stands for all: TypeBox requires a tuple, but its types depend only on the set of names. */
  readonly required: [keyof Required] extends [never] ? readonly [] : readonly [keyof Required & string]
  readonly properties: Required & Optional
}

/** An object with the required and the optional properties, and no others: for requests and answers. */
export function object<
  const Required extends Properties,
  const Optional extends Properties = Record<never, never>,
>(required: Required, optional: Optional = {} as Optional): ObjectSchema<Required, Optional> {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(required) as unknown as ObjectSchema<Required, Optional>['required'],
    properties: { ...required, ...optional },
  }
}

/** In a request, null stands for an absent value: clients send it for values that their users left out. */
export function orNull<const Schema extends object>(schema: Schema) {
  return { anyOf: [schema, { type: 'null' }] } as const
}
