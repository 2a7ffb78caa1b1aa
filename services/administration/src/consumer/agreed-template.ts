import { invalidFields } from '@despatch/domain/problem'
import type { Contract } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import { findTemplateVersion } from '@despatch/store/template/versions'

/** The terms of a contract about the template of its letters. */
export type AgreedTemplate = Pick<Contract, 'template' | 'templateLanguages'>

/**
 * Returns the version that a contract names, and the languages of its letters, by default the first of the version.
 * Throws a Problem if the version is not published or does not have a language.
 */
export async function agreedTemplate(
  db: Db,
  { template, templateLanguages }: { template?: string; templateLanguages?: readonly string[] },
): Promise<AgreedTemplate> {
  if (template === undefined) return { template: null, templateLanguages: null }
  const version = await findTemplateVersion(db, template)
  if (!version) {
    const detail = `template ${template} is not published: see npx despatch templates list`
    throw invalidFields([{ field: 'template', code: 'NotFound', detail }])
  }
  const { languages } = version
  const other = templateLanguages?.find((language) => !languages.includes(language))
  if (other !== undefined) {
    const detail = `templateLanguages has ${other}, but ${template} is in ${languages.join(' and ')}`
    throw invalidFields([{ field: 'templateLanguages', code: 'Invalid', detail }])
  }
  const chosen = templateLanguages ? [...new Set(templateLanguages)] : languages.slice(0, 1)
  return { template, templateLanguages: chosen }
}
