import { z } from 'zod'

/** Schemas by the names that OpenAPI documents give their shapes. */
type Shapes = Readonly<Record<string, z.ZodType>>

/** Returns the schemas that contracts export, named after their exports: `callbackSchema` is Callback. */
export function shapesOf(...contracts: readonly object[]): Shapes {
  const exported = contracts.flatMap((contract) => Object.entries(contract))
  return Object.fromEntries(
    exported
      .filter(([name, value]) => name.endsWith('Schema') && value instanceof z.ZodType)
      .map(([name, schema]) => [name[0]!.toUpperCase() + name.slice(1, -'Schema'.length), schema]),
  )
}
