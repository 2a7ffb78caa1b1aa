/** The package has no types. The members are those that the collection of requests uses. */
declare module '@usebruno/lang' {
  export type Field = { name: string; value: string; enabled: boolean }
  export type Request = {
    meta: { name: string; type: 'http'; seq: number }
    http: { method: string; url: string; body: string; auth: string }
    params: readonly (Field & { type: 'query' })[]
    headers: readonly Field[]
    body: { json?: string }
    vars: { res: readonly (Field & { local: boolean })[] }
    script: { req?: string; res?: string }
    docs: string
  }
  export type Folder = {
    meta?: { name: string; seq: number }
    headers?: readonly Field[]
    auth: { mode: string; bearer?: { token: string } }
  }
  export function jsonToBruV2(request: Request): string
  export function jsonToCollectionBru(folder: Folder): string
  export function envJsonToBruV2(environment: {
    variables: readonly (Field & { secret: boolean })[]
  }): string
  export function bruToJsonV2(text: string): Partial<Request>
}
