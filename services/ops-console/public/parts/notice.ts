const seen = document.getElementById('notice')!
const unseen = document.getElementById('spoken')

/**
 * Shows a message to the reader; screen readers announce it. The same text is not announced twice. What the page shows
 * anyway is only spoken, so that it replaces no message. What is only repeated replaces no refusal, which may be of an
 * action.
 */
export function announce(
  text: string,
  { isRefusal = false, isUnseen = false, isRepeated = false } = {},
): void {
  if (isRepeated && seen.matches('.refused:not(:empty)')) return
  const place = isUnseen && unseen ? unseen : seen
  if (place === seen) seen.classList.toggle('refused', isRefusal)
  if (place.textContent !== text) place.textContent = text
}

/** Removes a message that is no longer true, unless another one has replaced it. */
export function retract(text: string): void {
  if (seen.textContent === text) announce('')
}
