// The languages in which the provider accepts templates.

const codes =
  'en en_US en_GB af sq ar az bn bg ca zh_CN zh_HK zh_TW hr cs da nl et fil fi fr ka de el gu ha he hi hu id ga it ja kn kk ' +
  'rw_RW ko ky_KG lo lv lt mk ms ml mr nb fa pl pt_BR pt_PT pa ro ru sr sk sl es es_AR es_ES es_MX sw sv ta te th tr ' +
  'uk ur uz vi zu'

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' })

export const titleOfLanguage = (code: string): string => {
  try {
    return names.of(code.replace('_', '-')) ?? code
  } catch {
    return code
  }
}

export const languageOptions = codes
  .split(' ')
  .map((code) => ({ value: code, label: `${titleOfLanguage(code)} (${code})` }))
