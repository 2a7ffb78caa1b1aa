import type {
  TemplateVersionDetailsResponse,
  TemplateVersionsResponse,
} from '@despatch/contracts/administration/template'
import { ask, withQuery } from '../parts/api.ts'
import { FactList, Head, Time } from '../parts/elements.tsx'
import { bytes } from '../parts/format.ts'
import { beginReading, type Reading } from '../parts/reading.tsx'
import { TableCard } from '../parts/table.tsx'
import { PreviewCard } from './preview.tsx'
import { checkedBy, languageName } from './words.tsx'

type Versions = TemplateVersionsResponse['versions']
type Version = TemplateVersionDetailsResponse

/** What the page shows of a template: its versions, and one of them in full. */
type TemplateReadings = { versions: Reading<Versions>; version: Reading<Version> }

/** Reads the versions of a template. `chosen`: the version to show; default: the newest one. */
export function beginTemplate(name: string, chosen: string | undefined): TemplateReadings {
  const path = `/templates/${encodeURIComponent(name)}/versions`
  const mayChange = () => false
  const readVersions = async () =>
    (await ask<TemplateVersionsResponse>('GET', withQuery(path, { limit: 100 }))).versions
  return {
    versions: beginReading({ read: readVersions, mayChange }),
    version: beginReading({
      read: async () => {
        const version = chosen ?? (await readVersions())[0]!.version
        return ask<Version>('GET', `${path}/${encodeURIComponent(version)}`)
      },
      standing: ({ template }) => `Version ${template}.`,
      mayChange,
    }),
  }
}

/** One template: its versions, where each is used, and its letters. */
export function TemplatePage({ name, versions, version }: TemplateReadings & { name: string }) {
  const listed = versions.facts()
  const shown = version.facts()
  return (
    <>
      <Head
        title={shown?.template ?? name}
        crumbs={[{ path: '/templates', title: 'Templates' }]}
        beside={shown && <span class="meta">{shown.title}</span>}
      />
      <div class="stack">
        {shown ? (
          <PreviewCard
            key={shown.template}
            version={shown}
            others={(listed ?? [])
              .map((each) => each.version)
              .filter((each) => each !== shown.version)}
          />
        ) : (
          version.absent('Letter')
        )}
        {listed ? versionsOf(listed, shown) : versions.absent('Versions')}
        {shown && filesOf(shown)}
      </div>
    </>
  )
}

function versionsOf(versions: Versions, shown: Version | undefined) {
  return (
    <TableCard
      title="Versions"
      columns={[
        'Version',
        { name: 'Published', class: 'p2' },
        { name: 'By', class: 'p2' },
        'Used by',
        { name: 'Languages', class: 'p3' },
        { name: 'Checked by', class: 'p2' },
      ]}
      rows={versions.map((each) => [
        <a
          href={withQuery('/templates', { template: each.name, version: each.version })}
          aria-current={each.version === shown?.version ? 'true' : undefined}
        >
          {each.template}
        </a>,
        <Time at={each.publishedAt} />,
        each.publishedByUserName ?? each.publishedBy,
        each.contracts.length === 0
          ? null
          : each.contracts.map(({ consumerId, userName, jobType, templateReference }) => (
              <span class="sub">
                <a href={withQuery('/consumers', { consumer: consumerId })}>{userName}</a> {jobType}{' '}
                {templateReference}
              </span>
            )),
        each.languages.map(languageName).join(', '),
        checkedBy(each),
      ])}
      rowClass={(index) => (versions[index]!.version === shown?.version ? 'on' : undefined)}
    />
  )
}

function filesOf({ files, samples, fields }: Version) {
  const names = Object.keys((fields.properties as object | undefined) ?? {})
  return (
    <TableCard
      title="Files"
      columns={['File', { name: 'Size', class: 'num' }]}
      rows={files.map((file) => [<span class="mono">{file.path}</span>, bytes(file.bytes)])}
      footer={
        <FactList
          of={{ Fields: names.join(', '), Samples: samples.map(({ sample }) => sample).join(', ') }}
        />
      }
    />
  )
}
