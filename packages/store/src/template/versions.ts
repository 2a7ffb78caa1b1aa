import {
  parseTemplateVersion,
  type TemplateVersion,
} from '@despatch/domain/template/template-version'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/** A file of a template. `path` is relative to its folder. */
export type StoredTemplateFile = { path: string; bytes: Uint8Array }

export type ListedTemplateVersion = TemplateVersion & {
  /** Hexadecimal. */
  templateId: string
  title: string
  languages: string[]
  publishedBy: string
  publishedAt: Date
}

type NewVersion = Omit<ListedTemplateVersion, 'version' | 'publishedAt'> & {
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
  const [newest] = await listTemplateVersions(tx, template, 1)
  if (newest?.templateId === facts.templateId) return { published: newest, isNew: false }
  const version = (newest?.version ?? 0) + 1
  const { publishedAt } = await tx
    .insertInto('template_version')
    .values({
      template,
      version,
      template_id: Buffer.from(facts.templateId, 'hex'),
      title: facts.title,
      languages: facts.languages,
      published_by: facts.publishedBy,
    })
    .returning('published_at as publishedAt')
    .executeTakeFirstOrThrow()
  const rows = files.map(({ path, bytes }) => ({
    template,
    version,
    path,
    bytes: Buffer.from(bytes),
  }))
  await tx.insertInto('template_file').values(rows).execute()
  return { published: { ...facts, template, version, publishedAt }, isNew: true }
}

/** Lists the versions of a template, newest first. */
export async function listTemplateVersions(
  db: Db,
  template: string,
  limit: number,
): Promise<ListedTemplateVersion[]> {
  return selectVersions(db)
    .where('template', '=', template)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
}

/** Lists the newest version of each template, by name. */
export async function listTemplates(db: Db): Promise<ListedTemplateVersion[]> {
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
