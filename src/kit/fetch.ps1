# Fetches the lab kit @TITLE@, file by file, into a new folder, and checks every file.
#   powershell -ExecutionPolicy Bypass -File fetch.ps1 [ADDRESS [FOLDER]]
# ADDRESS is that of the kit's page (the folder in which this script is published), FOLDER the
# folder that is made. Nothing is run, nothing outside the folder is written, nothing is sent.
# The braces make PowerShell read all of it before it does any of it.
& {
  param([string]$Address = @URL@, [string]$Target = @TOP@)
  Set-StrictMode -Version 2
  $ErrorActionPreference = 'Stop'
  $Digest = '@DIGEST@'

  # A path as it is written in an address.
  function ConvertTo-AddressPath([string]$Path) {
    ($Path.Split('/') | ForEach-Object { [Uri]::EscapeDataString($_) }) -join '/'
  }

  # Saves one file of the kit. The system's proxy is used, with the user's credentials for it.
  function Get-KitFile([string]$Path, [string]$File) {
    $web = New-Object System.Net.WebClient
    try {
      if ($null -ne $web.Proxy) { $web.Proxy.Credentials = [Net.CredentialCache]::DefaultCredentials }
      $web.DownloadFile("$Address/files/$(ConvertTo-AddressPath $Path)", $File)
    } catch {
      throw "fetch.ps1: cannot get $Path. Nothing was kept. $($_.Exception.Message)"
    } finally {
      $web.Dispose()
    }
  }

  function Assert-Digest([string]$File, [string]$Expected, [string]$Name) {
    $found = (Get-FileHash -LiteralPath $File -Algorithm SHA256).Hash.ToLowerInvariant()
    if ($found -cne $Expected) {
      throw "fetch.ps1: $Name has sha256 $found, expected ${Expected}: changed kit, or a proxy answered with its own page. Nothing was kept."
    }
  }

  # A path that stays inside the folder.
  function Assert-KitPath([string]$Path) {
    $parts = $Path.Split('/')
    if ($Path -match '[\\:]' -or $parts -contains '' -or $parts -contains '.' -or $parts -contains '..') {
      throw "fetch.ps1: the list has a path that is refused: $Path"
    }
  }

  # https, or http on this machine.
  function Test-Address([string]$Text) {
    $uri = $null
    if (-not [Uri]::TryCreate($Text, [UriKind]::Absolute, [ref]$uri)) { return $false }
    if ($uri.UserInfo -ne '') { return $false }
    $uri.Scheme -ceq 'https' -or ($uri.Scheme -ceq 'http' -and $uri.IsLoopback)
  }

  if ($Address -eq '') { throw 'fetch.ps1: this kit does not know its address; run: fetch.ps1 ADDRESS' }
  $Address = $Address -replace '/index\.html$', '' -replace '/$', ''
  if (-not (Test-Address $Address)) {
    throw "fetch.ps1: the address must begin with https:// (http:// only on this machine): $Address"
  }
  $here = (Get-Location -PSProvider FileSystem).ProviderPath
  $folder = [IO.Path]::GetFullPath([IO.Path]::Combine($here, $Target))
  if (Test-Path -LiteralPath $folder) {
    throw "fetch.ps1: $Target exists already; move it away or name another folder"
  }
  # Windows PowerShell offers no TLS 1.2 by itself.
  [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

  $temp = "$folder.part.$PID"
  [void][IO.Directory]::CreateDirectory($temp)
  try {
    $sums = [IO.Path]::Combine($temp, 'SHA256SUMS')
    Get-KitFile 'SHA256SUMS' $sums
    Assert-Digest $sums $Digest 'SHA256SUMS'
    $count = 0
    foreach ($line in [IO.File]::ReadAllLines($sums, [Text.Encoding]::UTF8)) {
      $path = $line.Substring(66)
      Assert-KitPath $path
      $file = [IO.Path]::Combine($temp, $path.Replace('/', [IO.Path]::DirectorySeparatorChar))
      [void][IO.Directory]::CreateDirectory([IO.Path]::GetDirectoryName($file))
      Get-KitFile $path $file
      Assert-Digest $file $line.Substring(0, 64) $path
      $count++
    }
    # It refuses a folder that appeared meanwhile.
    [IO.Directory]::Move($temp, $folder)
    "$count files in $Target, all as published (sha256 of SHA256SUMS: $Digest)"
  } finally {
    if ([IO.Directory]::Exists($temp)) { [IO.Directory]::Delete($temp, $true) }
  }
} @args
