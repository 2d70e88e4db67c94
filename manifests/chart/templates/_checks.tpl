{{- /* What the schema of the values cannot see. It adds nothing to what is written. */ -}}
{{- define "checks" -}}
{{- if ne .Values.namespace .Release.Namespace }}
  {{- fail (printf "the release goes into namespace %s, and the value namespace is %s: say --namespace %s, for lock and policy ConfigMap stand there; who wants them in %s says --namespace %s --set namespace=%s"
    .Release.Namespace .Values.namespace .Values.namespace .Release.Namespace .Release.Namespace .Release.Namespace) }}
{{- end }}
{{- if and .Values.securePort.certificateSecret (not .Values.securePort.enabled) }}
  {{- fail "securePort.certificateSecret needs securePort.enabled" }}
{{- end }}
{{- include "checks.durations" .Values.flags }}
{{- include "checks.election" .Values.flags }}
{{- include "checks.controllers" .Values.flags }}
{{- $taken := .Values.securePort.enabled | ternary "10292" "10290" }}
{{- if hasSuffix (printf ":%s" $taken) (index .Values.flags "status-bind-address" | default "") }}
  {{- fail (printf "flags.status-bind-address: port %s is that of metrics and health" $taken) }}
{{- end }}
{{- end }}

{{- /* Each is written as in Go, at least a nanosecond and shorter than ten years. */ -}}
{{- define "checks.durations" -}}
{{- range $flag, $given := . }}
  {{- if regexMatch "-(period|timeout|duration|deadline)$" $flag }}
    {{- $value := toString $given }}
    {{- $is_one := regexMatch "^\\+?(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$" $value }}
    {{- $seconds := include "seconds" $value | float64 }}
    {{- if or (not $is_one) (lt $seconds 1e-9) (ge $seconds (mulf 87600 3600)) }}
      {{- fail (printf "flags.%s: %s must be a duration greater than 0 and less than 87600h, such as 40s, 1m30s or 500ms" $flag $value) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* Defaults as in docs/flags.md. */ -}}
{{- define "checks.election" -}}
{{- $lease := index . "leader-elect-lease-duration" | default "15s" }}
{{- $deadline := index . "leader-elect-renew-deadline" | default "10s" }}
{{- $retry := index . "leader-elect-retry-period" | default "2s" }}
{{- $lease_seconds := include "seconds" $lease | float64 }}
{{- $deadline_seconds := include "seconds" $deadline | float64 }}
{{- if ne $lease_seconds (floor $lease_seconds) }}
  {{- fail (printf "flags.leader-elect-lease-duration: %s must be whole seconds" $lease) }}
{{- end }}
{{- if le $lease_seconds $deadline_seconds }}
  {{- fail (printf "flags.leader-elect-lease-duration: %s must be greater than leader-elect-renew-deadline (%s)" $lease $deadline) }}
{{- end }}
{{- if le $deadline_seconds (mulf 1.2 (include "seconds" $retry | float64)) }}
  {{- fail (printf "flags.leader-elect-renew-deadline: %s must be greater than 1.2 times leader-elect-retry-period (%s)" $deadline $retry) }}
{{- end }}
{{- end }}

{{- /* Of the list the first entry that names a controller decides about it, and without one * does. */ -}}
{{- define "checks.controllers" -}}
{{- $list := index . "controllers" | default "*" | replace "nodelifecycle" "node-lifecycle-controller" | splitList "," }}
{{- $runs := dict "node-lifecycle-controller" (has "*" $list) "taint-eviction-controller" (has "*" $list) }}
{{- range reverse $list }}
  {{- if ne . "*" }}{{ $_ := set $runs (trimPrefix "-" .) (not (hasPrefix "-" .)) }}{{ end }}
{{- end }}
{{- if not (has true (values $runs)) }}
  {{- fail (printf "flags.controllers: %s leaves nothing to run" (index . "controllers")) }}
{{- end }}
{{- $taints := index . "enable-taint-manager" | toString }}
{{- if and (eq $taints "false") (not (get $runs "node-lifecycle-controller")) }}
  {{- fail "flags.enable-taint-manager: must be true where flags.controllers switches node-lifecycle-controller off, for nothing would be left to run" }}
{{- end }}
{{- end }}

{{- /* The seconds of a duration as Go writes it. */ -}}
{{- define "seconds" -}}
{{- $of := dict "ns" 1e-9 "us" 1e-6 "µs" 1e-6 "μs" 1e-6 "ms" 1e-3 "s" 1.0 "m" 60.0 "h" 3600.0 }}
{{- $seconds := 0.0 }}
{{- range regexFindAll "[0-9.]+[a-zµμ]+" . -1 }}
  {{- $number := regexFind "[0-9.]+" . }}
  {{- $seconds = addf $seconds (mulf (float64 $number) (get $of (trimPrefix $number .))) }}
{{- end }}
{{- $seconds }}
{{- end }}
