/** NO_ANSWER becomes No answer. */
export const sentence = (word: string): string => {
  const text = word.replaceAll('_', ' ').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
