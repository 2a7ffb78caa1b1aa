import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { dereference } from '../../stack/dereference.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is walked keyword by keyword
export type Schema = Record<string, any>

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
  example?: unknown
}

/** The API that an operation belongs to: the name of its document. */
export type ApiName = string

/** An operation as its OpenAPI document describes it. */
export type Operation = {
  api: ApiName
  id: string
  method: string
  path: string
  parameters: readonly Parameter[]
  body?: { contentType: string; isRequired: boolean; schema: Schema; example: unknown }
  /** By status, then by content type. A status without content has an empty body. */
  responses: Readonly<Record<string, Readonly<Record<string, Schema>>>>
  /** The credentials that it requires. Empty: no authentication. */
  credentials: readonly ('jwt' | 'apiKey')[]
}

/** Returns the name that distinguishes an operation from those of other APIs, such as `administration/getConsumer`. */
export function nameOf({ api, id }: Pick<Operation, 'api' | 'id'>): string {
  return `${api}/${id}`
}

const documents = fileURLToPath(new URL('../../../docs/openapi/', import.meta.url))

/** Reads every operation of every OpenAPI document in the tree. */
export async function readOperations(): Promise<Operation[]> {
  const files = (await readdir(documents)).filter((name) => name.endsWith('.json')).sort()
  const read = await Promise.all(
    files.map(async (file) =>
      operationsOf(
        file.slice(0, -'.json'.length),
        dereference(JSON.parse(await readFile(documents + file, 'utf8'))),
      ),
    ),
  )
  return read.flat()
}

function renderBodies({ required: isRequired = false, content = {} }: Schema) {
  return Object.entries<Schema>(content).map(
    ([contentType, { schema, example, examples = {} }]) => {
      const [named] = Object.values<Schema>(examples)
      return { contentType, isRequired, schema, example: named ? named.value : example }
    },
  )
}

function operationsOf(api: ApiName, { paths }: Schema): Operation[] {
  return Object.entries<Schema>(paths).flatMap(([path, methods]) =>
    Object.entries<Schema>(methods).map(([method, described]) => {
      const { operationId, parameters = [], requestBody, responses, security = [] } = described
      const [body] = renderBodies(requestBody ?? {})
      return {
        api,
        id: operationId,
        method: method.toUpperCase(),
        path,
        parameters,
        ...(body && { body }),
        responses: Object.fromEntries(
          Object.entries<Schema>(responses).map(([status, { content = {} }]) => [
            status,
            Object.fromEntries(
              Object.entries<Schema>(content).map(([type, { schema }]) => [type, schema]),
            ),
          ]),
        ),
        credentials: (['jwt', 'apiKey'] as const).filter((scheme) => security[0]?.[scheme]),
      }
    }),
  )
}
