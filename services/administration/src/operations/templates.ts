import * as operations from '@despatch/contracts/administration/template-operations'
import { cursorAfter } from '@despatch/contracts/page'
import { Problem } from '@despatch/domain/problem'
import { renderTemplateVersion } from '@despatch/domain/template/template-version'
import type { Api } from '@despatch/http/api'
import type { LetterTemplates } from '@despatch/letters/letter-templates'
import type { Db } from '@despatch/store/database'
import { listNewestVersions, listVersionPage } from '@despatch/store/template/versions'
import { sql } from 'kysely'
import {
  describeUsedVersions,
  describeVersions,
  requireTemplateVersion,
} from '../template/describe-versions.ts'

/** GET /templates: lists the newest version of each template. */
export function listTemplates(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listTemplates,
    handler: async () => {
      const versions = await describeVersions(db, await listNewestVersions(db))
      const counts = await countContracts(db)
      const templates = versions.map((version) => ({
        ...version,
        contractCount: counts.get(version.name) ?? 0,
      }))
      return { templates }
    },
  })
}

/** Counts the contracts that use any version of a template, by its name. */
async function countContracts(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`
    select split_part(template, '@', 1) as name, count(*)::integer as count
    from contract where template is not null and retired_at is null group by 1`.execute(db)
  return new Map(rows.map(({ name, count }) => [name, count]))
}

/** GET /templates/{name}/versions: lists the versions of a template and the contracts that name them. */
export function listTemplateVersions(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listTemplateVersions,
    handler: async ({ params: { name }, query: { cursor, limit } }) => {
      const versions = await listVersionPage(
        db,
        name,
        limit,
        cursor === undefined ? undefined : Number(cursor),
      )
      if (versions.length === 0 && cursor === undefined) {
        throw new Problem('template-not-found', `There is no template ${name}`)
      }
      return {
        versions: await describeUsedVersions(db, versions),
        ...cursorAfter(versions, limit, ({ version }) => String(version)),
      }
    },
  })
}

type Effects = { db: Db; templates: Pick<LetterTemplates, 'find'> }

/** GET /templates/{name}/versions/{version}: returns what a version consists of. */
export function getTemplateVersion(api: Api, { db, templates }: Effects): void {
  api.route({
    ...operations.getTemplateVersion,
    handler: async ({ params, query: { content } }) => {
      const version = await requireTemplateVersion(db, params)
      const [described] = await describeUsedVersions(db, [version])
      const { files, samples } = await templates.find(renderTemplateVersion(version))
      const fields = files.find(({ path }) => path === 'fields.json')!
      return {
        ...described!,
        fields: JSON.parse(Buffer.from(fields.bytes).toString('utf8')),
        samples: samples.map(({ name, values }) => ({
          sample: name,
          values: values as Record<string, unknown>,
        })),
        files: files.map(({ path, bytes }) => ({
          path,
          bytes: bytes.length,
          ...(content && { content: Buffer.from(bytes).toString('base64') }),
        })),
      }
    },
  })
}
