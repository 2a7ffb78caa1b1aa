const seen = document.getElementById('notice')!
const unseen = document.getElementById('spoken')

/**
 * Shows a message to the reader; screen readers announce it. The same text is not announced twice. What the page shows
 * anyway is only spoken, so that it replaces no message.
 */
export function announce(text: string, { isRefusal = false, isUnseen = false } = {}): void {
  const place = isUnseen && unseen ? unseen : seen
  if (place === seen) seen.classList.toggle('refused', isRefusal)
  if (place.textContent !== text) place.textContent = text
}
