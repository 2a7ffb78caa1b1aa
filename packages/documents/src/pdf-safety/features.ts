import type { RuleId } from '@despatch/domain/preflight/rules'
import {
  PDFArray,
  PDFDict,
  PDFName,
  PDFNull,
  type PDFObject,
  type PDFRawStream,
  PDFStream,
} from 'pdf-lib'

/** Something in a dictionary that print does not allow. `what` completes "The PDF has …". */
export type Feature = { rule: RuleId; what: string }

const javaScript: Feature = { rule: 'pdf-javascript', what: 'JavaScript' }
const embeddedFile: Feature = { rule: 'pdf-embedded-file', what: 'an embedded file' }
const xfa: Feature = { rule: 'pdf-xfa', what: 'an XFA form' }
const richMedia: Feature = { rule: 'pdf-rich-media', what: 'rich media' }
const threeDimensional: Feature = { rule: 'pdf-rich-media', what: 'three-dimensional content' }
const action = (what: string): Feature => ({ rule: 'pdf-action', what })
const automaticAction = action('an action that starts by itself')
const otherFile = action('an action that opens another file')

/** Keys that are refused in any dictionary. */
const byKey = tableOf({
  JS: javaScript,
  JavaScript: javaScript,
  EmbeddedFiles: embeddedFile,
  EF: embeddedFile,
  AF: embeddedFile,
  XFA: xfa,
  RichMediaContent: richMedia,
  RichMediaSettings: richMedia,
  '3DD': threeDimensional,
  '3DV': threeDimensional,
})

/** The names of actions. Links to web addresses and pages have no effect on paper and are allowed. */
const byAction = tableOf({
  JavaScript: javaScript,
  Launch: action('an action that launches a program'),
  ImportData: action('an action that imports data'),
  SubmitForm: action('an action that submits a form'),
  GoToE: action('an action that opens an embedded file'),
  GoToR: otherFile,
  Movie: action('an action that plays a movie'),
  Sound: action('an action that plays a sound'),
  Rendition: action('an action that plays media'),
  GoTo3DView: action('an action on three-dimensional content'),
  RichMediaExecute: action('an action on rich media'),
})

const byType = tableOf({
  EmbeddedFile: embeddedFile,
  FileAttachment: embeddedFile,
  RichMedia: richMedia,
  Movie: richMedia,
  Sound: richMedia,
  '3D': threeDimensional,
  '3DStream': threeDimensional,
  U3D: threeDimensional,
  PRC: threeDimensional,
})

const names = {
  S: PDFName.of('S'),
  F: PDFName.of('F'),
  AA: PDFName.of('AA'),
  Type: PDFName.of('Type'),
  Subtype: PDFName.of('Subtype'),
  Thread: PDFName.of('Thread'),
  JavaScript: PDFName.of('JavaScript'),
}

/**
 * Returns the features of this dictionary alone, without nested objects. Names are as pdf-lib decodes them, `#xx`
 * included.
 */
export function featuresOf(dictionary: PDFDict): Feature[] {
  const features: (Feature | undefined)[] = []
  for (const [key, value] of dictionary.entries()) {
    const feature = byKey.get(key)
    if (feature && !isNothing(dictionary, value)) features.push(feature)
  }
  const performed = nameAt(dictionary, names.S)
  if (performed) {
    features.push(byAction.get(performed))
    if (performed === names.Thread && dictionary.has(names.F)) features.push(otherFile)
  }
  for (const key of [names.Type, names.Subtype]) {
    const type = nameAt(dictionary, key)
    if (type) features.push(byType.get(type))
  }
  if (hasAutomaticAction(dictionary)) features.push(automaticAction)
  return features.filter((feature) => feature !== undefined)
}

/** Finds a stream whose data is in another file. */
export function featuresOfStream({ dict }: PDFRawStream): Feature[] {
  return dict.has(names.F)
    ? [{ rule: 'pdf-embedded-file', what: 'a part that is in another file' }]
    : []
}

/** Returns the values of a dictionary or array, or the dictionary of a stream. References are not followed. */
export function partsOf(object: PDFObject): readonly PDFObject[] {
  if (object instanceof PDFDict) return object.values()
  if (object instanceof PDFArray) return object.asArray()
  return object instanceof PDFStream ? [object.dict] : []
}

/** JavaScript that starts automatically is reported as JavaScript. */
function hasAutomaticAction(dictionary: PDFDict): boolean {
  const actions = dictionary.lookup(names.AA)
  if (!(actions instanceof PDFDict)) return false
  return actions.values().some((value) => {
    const each = dictionary.context.lookup(value)
    return (
      each instanceof PDFDict && each.has(names.S) && nameAt(each, names.S) !== names.JavaScript
    )
  })
}

function nameAt(dictionary: PDFDict, key: PDFName): PDFName | undefined {
  const value = dictionary.lookup(key)
  return value instanceof PDFName ? value : undefined
}

function isNothing({ context }: PDFDict, value: PDFObject): boolean {
  const found = context.lookup(value)
  return found === PDFNull || (found instanceof PDFArray && found.size() === 0)
}

/** pdf-lib has one object for each name, however it is spelt. */
function tableOf(table: Record<string, Feature>): ReadonlyMap<PDFName, Feature> {
  return new Map(Object.entries(table).map(([name, feature]) => [PDFName.of(name), feature]))
}
