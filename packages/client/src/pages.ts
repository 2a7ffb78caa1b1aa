import type { CallOptions, Request, Session } from './session.ts'

/** Yields the items of a list page by page. A page may be empty and still have a next one. */
export async function* pagesOf<Item>(
  session: Session,
  list: { path: string; member: string; query: Request['query']; options: CallOptions },
): AsyncGenerator<Item, void, undefined> {
  const { path, member, query, options } = list
  let cursor: string | undefined
  do {
    const request = { ...options, query: { ...query, cursor } }
    const page: Record<string, unknown> = await session.call('GET', path, request, [member])
    yield* page[member] as Item[]
    cursor = page.nextCursor as string | undefined
  } while (cursor !== undefined)
}
