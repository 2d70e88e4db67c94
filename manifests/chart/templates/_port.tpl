{{- /* The port of a probe, by its name. */ -}}
{{- define "port" -}}
{{ if .Values.securePort.enabled }}port: secure, scheme: HTTPS{{ else }}port: metrics{{ end }}
{{- end }}
