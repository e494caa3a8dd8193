/** What each shell is told once; whenever Tab is pressed it asks the program what fits. */
export const completionScripts = {
  bash: `# gleitzeit completion for bash. Add to ~/.bashrc: source <(gleitzeit completion bash)
_gleitzeit() {
  local value
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    case "$value" in
      :file) compopt -o default; COMPREPLY=(); return ;;
      :folder) compopt -o dirnames; COMPREPLY=(); return ;;
      '') ;;
      *) COMPREPLY+=("$value") ;;
    esac
  done < <(gleitzeit __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _gleitzeit gleitzeit
`,
  zsh: `#compdef gleitzeit
# gleitzeit completion for zsh. Add to ~/.zshrc: source <(gleitzeit completion zsh)
_gleitzeit() {
  local -a found
  local line value
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    case "$value" in
      :file) _files; return ;;
      :folder) _files -/; return ;;
      '') ;;
      *) found+=("\${value//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done < <(gleitzeit __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe gleitzeit found
}
compdef _gleitzeit gleitzeit
`,
  fish: `# gleitzeit completion for fish. Save as ~/.config/fish/completions/gleitzeit.fish
function __gleitzeit_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (gleitzeit __complete -- $words[2..] "$current" 2>/dev/null)
        switch $line
            case ':file'
                __fish_complete_path "$current"
            case ':folder'
                __fish_complete_directories "$current"
            case '*'
                echo $line
        end
    end
end
complete -c gleitzeit -f -a '(__gleitzeit_complete)'
`,
  pwsh: `# gleitzeit completion for PowerShell. Add to $PROFILE: gleitzeit completion pwsh | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName gleitzeit -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.StartOffset -lt $position } | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  gleitzeit __complete -- @words 2>$null | ForEach-Object {
    $value, $says = $_ -split "\`t", 2
    if ($value -in ':file', ':folder') { return }
    if ([string]::IsNullOrEmpty($says)) { $says = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $says)
  }
}
`,
} as const;

export const shells = [
  'bash',
  'zsh',
  'fish',
  'pwsh',
] as const satisfies readonly (keyof typeof completionScripts)[];
