import { fileURLToPath } from 'node:url'
import { renderTemplateVersion } from '@despatch/domain/template/template-version'
import { transact } from '@despatch/postgres/transact'
import type { Db } from '@despatch/store/database'
import { publishTemplateVersion } from '@despatch/store/template/versions'
import { readFolder } from '@despatch/templates/read-folder'
import { templateId } from '@despatch/templates/template-id'

/** Custom parameters that the template of `publishTemplate` accepts. */
export const someFields = [
  { key: 'name', value: 'Ms A Person' },
  { key: 'amount', value: '12.50' },
  { key: 'payBy', value: '2027-01-31' },
  { key: 'instalments', value: '[{"due":"2026-12-01","amount":"12.50"}]' },
]

/**
 * Publishes the template that `templates init` makes, and returns the name of the version. `letter`: the source of its
 * letter instead of its own.
 */
export async function publishTemplate(db: Db, letter?: string): Promise<string> {
  const folder = await readFolder(fileURLToPath(import.meta.resolve('@despatch/templates/starter')))
  const files = folder.map(({ path, bytes }) =>
    path === 'letter.typ' && letter !== undefined
      ? { path, bytes: Buffer.from(letter) }
      : { path, bytes },
  )
  const { published } = await transact(db, (tx) =>
    publishTemplateVersion(tx, {
      template: 'renewal',
      templateId: templateId(files),
      title: 'Your council tax is overdue',
      languages: ['en'],
      publishedBy: 'test',
      files,
    }),
  )
  return renderTemplateVersion(published)
}
