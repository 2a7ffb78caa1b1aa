import {
  parseTemplateVersion,
  type TemplateVersion,
} from '@despatch/domain/template/template-version'
import { sql } from 'kysely'
import { userNameOf } from '../access/user-name-of.ts'
import type { Db, Tx } from '../database.ts'

/** A file of a template. `path` is relative to its folder. */
export type StoredTemplateFile = { path: string; bytes: Uint8Array }

export type ListedTemplateVersion = TemplateVersion & {
  /** Hexadecimal. */
  templateId: string
  title: string
  languages: string[]
  publishedBy: string
  /** Null if it is not a user. */
  publishedByUserName: string | null
  publishedAt: Date
}

/** Above every version that a contract can name. */
const versionsMax = 1_000_000

type NewVersion = Omit<ListedTemplateVersion, 'version' | 'publishedAt' | 'publishedByUserName'> & {
  files: readonly StoredTemplateFile[]
}

/**
 * Saves the next version of a template. If its newest version has the same content, returns that one: publishing can be
 * repeated when its reply was lost.
 */
export async function publishTemplateVersion(
  tx: Tx,
  { template, files, ...facts }: NewVersion,
): Promise<{ published: ListedTemplateVersion; isNew: boolean }> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`template ${template}`}, 0))`.execute(
    tx,
  )
  const [newest] = await listVersionPage(tx, template, 1)
  if (newest?.templateId === facts.templateId) return { published: newest, isNew: false }
  const version = (newest?.version ?? 0) + 1
  await tx
    .insertInto('template_version')
    .values({
      template,
      version,
      template_id: Buffer.from(facts.templateId, 'hex'),
      title: facts.title,
      languages: facts.languages,
      published_by: facts.publishedBy,
    })
    .execute()
  const rows = files.map(({ path, bytes }) => ({
    template,
    version,
    path,
    bytes: Buffer.from(bytes),
  }))
  await tx.insertInto('template_file').values(rows).execute()
  const [published] = await listVersionPage(tx, template, 1)
  return { published: published!, isNew: true }
}

/** Lists the versions of a template, newest first. `before`: only those before this one. */
export async function listVersionPage(
  db: Db,
  template: string,
  limit: number,
  before = versionsMax,
): Promise<ListedTemplateVersion[]> {
  return selectVersions(db)
    .where('template', '=', template)
    .where('version', '<', before)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
}

/** Lists the newest version of each template, by name. */
export async function listNewestVersions(db: Db): Promise<ListedTemplateVersion[]> {
  return selectVersions(db)
    .distinctOn('template')
    .orderBy('template')
    .orderBy('version', 'desc')
    .execute()
}

/** Finds a version by its name, such as `renewal@3`. */
export async function findTemplateVersion(
  db: Db,
  name: string,
): Promise<ListedTemplateVersion | undefined> {
  const parsed = parseTemplateVersion(name)
  if (!parsed) return undefined
  return selectVersions(db)
    .where('template', '=', parsed.template)
    .where('version', '=', parsed.version)
    .executeTakeFirst()
}

function selectVersions(db: Db) {
  return db
    .selectFrom('template_version')
    .select([
      'template',
      'version',
      sql<string>`encode(template_id, 'hex')`.as('templateId'),
      'title',
      'languages',
      'published_by as publishedBy',
      userNameOf(sql.ref('published_by')).as('publishedByUserName'),
      'published_at as publishedAt',
    ])
}

/** Reads the files of a version, by path. Of `path`, that one only. None: there is no such version, or no such file. */
export async function readTemplateFiles(
  db: Db,
  name: string,
  path?: string,
): Promise<StoredTemplateFile[]> {
  const parsed = parseTemplateVersion(name)
  if (!parsed) return []
  const query = db
    .selectFrom('template_file')
    .select(['path', 'bytes'])
    .where('template', '=', parsed.template)
    .where('version', '=', parsed.version)
    .orderBy('path')
  return (path === undefined ? query : query.where('path', '=', path)).execute()
}
