import { Problem } from '@despatch/domain/problem'
import { renderTemplateVersion } from '@despatch/domain/template/template-version'
import type { Db } from '@despatch/store/database'
import {
  findTemplateVersion,
  type ListedTemplateVersion,
  readTemplateFiles,
} from '@despatch/store/template/versions'
import { templateId } from '@despatch/templates/template-id'
import { sql } from 'kysely'

type ContractOfTemplate = {
  consumerId: string
  userName: string
  jobType: string
  templateReference: string
}

/** Returns a version. Throws a Problem if it is not published. */
export async function requireTemplateVersion(
  db: Db,
  { name, version }: { name: string; version: number },
): Promise<ListedTemplateVersion> {
  const template = renderTemplateVersion({ template: name, version })
  const found = await findTemplateVersion(db, template)
  if (!found) throw new Problem('template-not-found', `There is no template ${template}`)
  return found
}

/** Returns versions for an answer. */
export async function describeVersions(db: Db, versions: readonly ListedTemplateVersion[]) {
  const described = []
  for (const version of versions) {
    const { template: name, templateId: _, ...facts } = version
    const isOfThisRelease = await isMadeByThisRelease(db, version)
    described.push({ ...facts, template: renderTemplateVersion(version), name, isOfThisRelease })
  }
  return described
}

/** Returns versions for an answer, each with the contracts that name it. */
export async function describeUsedVersions(db: Db, versions: readonly ListedTemplateVersion[]) {
  const contracts = await contractsOf(db, versions.map(renderTemplateVersion))
  const described = await describeVersions(db, versions)
  return described.map((version) => ({
    ...version,
    contracts: contracts
      .filter(({ template }) => template === version.template)
      .map(({ template: _, ...contract }) => contract),
  }))
}

/** By the id that a version was published with. Neither changes while this process runs. */
const known = new Map<string, boolean>()
const knownMax = 10_000

async function isMadeByThisRelease(db: Db, version: ListedTemplateVersion): Promise<boolean> {
  const found = known.get(version.templateId)
  if (found !== undefined) return found
  const files = await readTemplateFiles(db, renderTemplateVersion(version))
  const isSame = templateId(files) === version.templateId
  if (known.size >= knownMax) known.clear()
  known.set(version.templateId, isSame)
  return isSame
}

async function contractsOf(
  db: Db,
  templates: readonly string[],
): Promise<(ContractOfTemplate & { template: string })[]> {
  const { rows } = await sql<ContractOfTemplate & { template: string }>`
    select contract.template, consumer.id as "consumerId", consumer.user_name as "userName",
      contract.job_type as "jobType", contract.template_reference as "templateReference"
    from contract join consumer on consumer.id = contract.consumer_id
    where contract.template = any (${templates}::text[]) and contract.retired_at is null
    order by consumer.user_name, contract.job_type, contract.template_reference`.execute(db)
  return rows
}
