import type {
  PreviewTemplateRequest,
  TemplateVersionDetailsResponse,
} from '@despatch/contracts/administration/template'
import { useEffect, useId, useState } from 'preact/hooks'
import { messageOf } from '../parts/api.ts'
import { Card } from '../parts/elements.tsx'
import { Choice } from '../parts/form.tsx'
import { countOf } from '../parts/format.ts'
import { announce } from '../parts/notice.ts'
import { differingPages } from './differing-pages.ts'
import { type Drawn, drawLetter, readValues } from './draw-letter.ts'
import { Comparison, PagesOfLetter } from './pages.tsx'
import { languageName } from './words.tsx'

/** Typing is followed by a new picture once nothing was typed for a moment. */
const quietMs = 400
const pasted = ''

type Language = NonNullable<PreviewTemplateRequest['languages']>[number]
type Props = { version: TemplateVersionDetailsResponse; others: readonly number[] }
type Shown = { now: Drawn; before?: Drawn; differing: readonly number[] }

/** A letter of a version, made again after each change, and beside it that of another version. */
export function PreviewCard({ version, others }: Props) {
  const { name, languages, samples } = version
  const [sample, chooseSample] = useState(samples[0]!.sample)
  const [json, typeJson] = useState(JSON.stringify(samples[0]!.values, null, 2))
  const [language, chooseLanguage] = useState(languages[0]!)
  const [other, chooseOther] = useState('')
  const [shown, show] = useState<Shown | undefined>()
  const [refusal, refuse] = useState('')
  const [isDrawing, setDrawing] = useState(true)
  const id = useId()

  useEffect(() => {
    let isCurrent = true
    const draw = async () => {
      const of = { ...(sample === pasted ? { values: readValues(json) } : { sample }) }
      const request = { ...of, languages: [language as Language] }
      const [now, before] = await Promise.all([
        drawLetter(name, version.version, request),
        other === '' ? undefined : drawLetter(name, Number(other), request),
      ])
      const pages = { before: before?.bytes ?? now.bytes, after: now.bytes }
      return { now, ...(before && { before }), differing: differingPages(pages) }
    }
    const timer = setTimeout(
      () => {
        setDrawing(true)
        draw()
          .then((drawn) => {
            if (!isCurrent) return drop(drawn)
            show((earlier) => {
              if (earlier) drop(earlier)
              return drawn
            })
            refuse('')
            announce(describe(drawn), { isUnseen: true })
          })
          .catch((error) => isCurrent && refuse(messageOf(error)))
          .finally(() => isCurrent && setDrawing(false))
      },
      sample === pasted ? quietMs : 0,
    )
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [sample, json, language, other])

  const edit = (text: string) => {
    chooseSample(pasted)
    typeJson(text)
  }
  const take = (chosen: string) => {
    chooseSample(chosen)
    const found = samples.find((each) => each.sample === chosen)
    if (found) typeJson(JSON.stringify(found.values, null, 2))
  }
  return (
    <Card
      title="Letter"
      meta={shown && describe(shown)}
      right={
        <span class="meta">
          {isDrawing ? 'Being made …' : 'As it is printed, with the zones of preflight'}
        </span>
      }
      isPadded
    >
      <div class="desk">
        <div class="stack">
          <Choice
            name="sample"
            label="Values"
            value={sample}
            all="The JSON below"
            options={samples.map((each) => each.sample)}
            onChange={take}
          />
          <Choice
            name="language"
            label="Language"
            value={language}
            options={languages.map((each) => [each, languageName(each)] as const)}
            onChange={chooseLanguage}
          />
          {others.length > 0 && (
            <Choice
              name="other"
              label="Compare with"
              value={other}
              all="No other version"
              options={others.map((each) => [String(each), `${name}@${each}`] as const)}
              onChange={chooseOther}
            />
          )}
          <div class="field">
            <label for={id}>Values as JSON</label>
            <textarea
              id={id}
              class="mono"
              rows={14}
              spellcheck={false}
              autoComplete="off"
              value={json}
              onInput={(event) => edit(event.currentTarget.value)}
            />
            <small>Nothing is stored. Do not paste values of a real letter.</small>
          </div>
        </div>
        <div>
          {refusal && (
            <p class="bad" role="status">
              {refusal}
            </p>
          )}
          {shown &&
            !refusal &&
            (shown.before ? (
              <Comparison
                before={{ name: `${name}@${other}`, pages: shown.before.addresses }}
                after={{ name: version.template, pages: shown.now.addresses }}
                differing={shown.differing}
              />
            ) : (
              <PagesOfLetter name={version.template} pages={shown.now.addresses} />
            ))}
          {!shown && !refusal && <p class="sheet awaited">Page 1 …</p>}
        </div>
      </div>
    </Card>
  )
}

function describe({ now, before, differing }: Shown): string {
  const pages = countOf(now.addresses.length, 'page')
  if (!before) return pages
  return differing.length === 0
    ? `${pages}, none differs`
    : `${pages}, different: ${differing.join(', ')}`
}

function drop({ now, before }: Shown): void {
  for (const address of [...now.addresses, ...(before?.addresses ?? [])]) {
    URL.revokeObjectURL(address)
  }
}
